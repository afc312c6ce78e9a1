package datum

// TypeRef names a type with its modifier: numeric(10,2) is {1700, 655366}.
type TypeRef struct {
	OID uint32
	Mod int32 // -1: none
}

// Ref is a type without a modifier.
func Ref(oid uint32) TypeRef { return TypeRef{oid, -1} }
