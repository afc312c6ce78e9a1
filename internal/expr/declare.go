package expr

// declarations lists what fills a registry, by subject.
func declarations() []func(*Registry) {
	return []func(*Registry){
		declareBool,
		declareInts,
		declareFloats,
		declareNumerics,
		declareNumericMath,
		declareText,
		declareLike,
		declareRegexp,
		declareTimes,
		declareTemplates,
		declareJSON,
		declareArrays,
		declareOctets,
		declareFormat,
		declareComparisons,
		declareCasts,
		declareAggregates,
		declareSets,
		declareCatalogSets,
		declareSession,
	}
}

func declareBool(r *Registry) {
	for _, op := range comparisons {
		r.op(op.symbol, "bool"+op.short+"(bool,bool) bool", compareInts(op.cmp), cheap)
	}
}
