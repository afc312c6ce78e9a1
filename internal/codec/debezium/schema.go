package debezium

import (
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/row"
)

// The schemas of Kafka Connect's JSON converter. Members stand in its order: type,
// fields or items, optional, name, version, parameters, default, field.

// valueSchema is {"schema":…,"payload": for values.
func (e *Encoder) valueSchema(p *plan) []byte {
	b := append([]byte(nil), `{"schema":{"type":"struct","fields":[`...)
	for _, side := range []string{"before", "after"} {
		b = e.rowSchema(b, p, "Value", false)
		b = append(b, `,"field":"`+side+`"},`...)
	}
	b = append(b, sourceSchema...)
	b = append(b, `,{"type":"struct","fields":[`+
		`{"type":"string","optional":false,"field":"id"},`+
		`{"type":"int64","optional":false,"field":"total_order"},`+
		`{"type":"int64","optional":false,"field":"data_collection_order"}`+
		`],"optional":true,"name":"event.block","version":1,"field":"transaction"},`+
		`{"type":"string","optional":false,"field":"op"},`+
		`{"type":"int64","optional":true,"field":"ts_ms"},`+
		`{"type":"int64","optional":true,"field":"ts_us"},`+
		`{"type":"int64","optional":true,"field":"ts_ns"}`+
		`],"optional":false,"name":`...)
	b = quote(b, e.schemaName(p, "Envelope"))
	return append(b, `,"version":2},"payload":`...)
}

// keySchema is {"schema":…,"payload": for keys.
func (e *Encoder) keySchema(p *plan) []byte {
	b := e.rowSchema([]byte(`{"schema":`), p, "Key", true)
	return append(b, `},"payload":`...)
}

func (e *Encoder) schemaName(p *plan, part string) string {
	return e.opt.Source.Name + "." + p.schema.Namespace + "." + p.schema.Name + "." + part
}

// rowSchema appends a struct without its closing brace, so that a field can follow.
func (e *Encoder) rowSchema(b []byte, p *plan, part string, key bool) []byte {
	b = append(b, `{"type":"struct","fields":[`...)
	n := 0
	for i := range p.columns {
		c := &p.schema.Columns[i]
		if key && !c.Key {
			continue
		}
		if n++; n > 1 {
			b = append(b, ',')
		}
		// What a delete by key does not carry cannot be required.
		required := c.NotNull && (c.Key || p.schema.Identity == row.IdentityFull)
		b = leafSchema(b, &p.columns[i].encoding, !required)
		b = append(quote(append(b, `,"field":`...), c.Name), '}')
	}
	b = append(b, `],"optional":`...)
	b = strconv.AppendBool(b, !key)
	return quote(append(b, `,"name":`...), e.schemaName(p, part))
}

// leafSchema appends the schema of a value without its closing brace.
func leafSchema(b []byte, e *encoding, optional bool) []byte {
	l := leafOf(e)
	b = append(append(append(b, `{"type":"`...), l.typ...), '"')
	switch {
	case e.kind == asArray:
		b = append(leafSchema(append(b, `,"items":`...), e.elem, true), '}')
	case l.fields != "":
		b = append(append(append(b, `,"fields":[`...), l.fields...), ']')
	}
	b = strconv.AppendBool(append(b, `,"optional":`...), optional)
	if l.name == "" {
		return b
	}
	b = quote(append(b, `,"name":`...), l.name)
	b = append(b, `,"version":1`...)
	if len(l.params) > 0 {
		b = append(b, `,"parameters":{`...)
		for i := 0; i < len(l.params); i += 2 {
			if i > 0 {
				b = append(b, ',')
			}
			b = quote(append(quote(b, l.params[i]), ':'), l.params[i+1])
		}
		b = append(b, '}')
	}
	return b
}

// leaf is Connect's type of an encoding, and Debezium's name for it.
type leaf struct {
	typ, name string
	fields    string   // of a struct
	params    []string // name, value, …
}

const (
	xyFields = `{"type":"double","optional":false,"field":"x"},{"type":"double","optional":false,"field":"y"}`
	wkbField = `{"type":"bytes","optional":false,"field":"wkb"},{"type":"int32","optional":true,"field":"srid"}`
)

func leafOf(e *encoding) leaf {
	switch e.kind {
	case asBool, asBit:
		return leaf{typ: "boolean"}
	case asInteger:
		return leaf{typ: "int" + strconv.Itoa(e.n)}
	case asFloat:
		return leaf{typ: map[int]string{32: "float", 64: "double"}[e.n]}
	case asMoneyFloat:
		return leaf{typ: "double"}
	case asDecimal, asMoney:
		l := leaf{typ: "bytes", name: "org.apache.kafka.connect.data.Decimal", params: []string{"scale", strconv.Itoa(e.n)}}
		if e.prec > 0 {
			l.params = append(l.params, "connect.decimal.precision", strconv.Itoa(e.prec))
		}
		return l
	case asVariable:
		return leaf{typ: "struct", name: "io.debezium.data.VariableScaleDecimal",
			fields: `{"type":"int32","optional":false,"field":"scale"},{"type":"bytes","optional":false,"field":"value"}`}
	case asBits, asVarbits:
		l := leaf{typ: "bytes", name: "io.debezium.data.Bits"}
		if e.n > 0 {
			l.params = []string{"length", strconv.Itoa(e.n)}
		}
		return l
	case asBytes:
		return leaf{typ: "bytes"}
	case asArray:
		return leaf{typ: "array"}
	case asPoint:
		return leaf{typ: "struct", name: "io.debezium.data.geometry.Point", fields: xyFields + "," +
			`{"type":"bytes","optional":true,"field":"wkb"},{"type":"int32","optional":true,"field":"srid"}`}
	case asLseg, asPath, asBox, asPolygon:
		return leaf{typ: "struct", name: "io.debezium.data.geometry.Geometry", fields: wkbField}
	case asCircle:
		return leaf{typ: "struct", name: "io.debezium.data.geometry.Circle", fields: `{"type":"struct","fields":[` + xyFields +
			`],"optional":false,"field":"center"},{"type":"double","optional":false,"field":"radius"}`}
	case asLine:
		return leaf{typ: "struct", name: "io.debezium.data.geometry.Line", fields: `{"type":"double","optional":false,"field":"a"},` +
			`{"type":"double","optional":false,"field":"b"},{"type":"double","optional":false,"field":"c"}`}
	}
	return leafOfTime(e)
}

func leafOfTime(e *encoding) leaf {
	fine := e.n > 3
	switch {
	case e.kind == asDate:
		return leaf{typ: "int32", name: "io.debezium.time.Date"}
	case e.kind == asTime && fine:
		return leaf{typ: "int64", name: "io.debezium.time.MicroTime"}
	case e.kind == asTime:
		return leaf{typ: "int32", name: "io.debezium.time.Time"}
	case e.kind == asTimeTZ:
		return leaf{typ: "string", name: "io.debezium.time.ZonedTime"}
	case e.kind == asTimestamp && fine:
		return leaf{typ: "int64", name: "io.debezium.time.MicroTimestamp"}
	case e.kind == asTimestamp:
		return leaf{typ: "int64", name: "io.debezium.time.Timestamp"}
	case e.kind == asTimestampTZ:
		return leaf{typ: "string", name: "io.debezium.time.ZonedTimestamp"}
	case e.kind == asDuration:
		return leaf{typ: "int64", name: "io.debezium.time.MicroDuration"}
	case e.kind == asDurationText:
		return leaf{typ: "string", name: "io.debezium.time.Interval"}
	case e.enum != nil:
		return leaf{typ: "string", name: e.name, params: []string{"allowed", strings.Join(e.enum, ",")}}
	}
	return leaf{typ: "string", name: e.name}
}

// sourceSchema describes the source block.
const sourceSchema = `{"type":"struct","fields":[` +
	`{"type":"string","optional":false,"field":"version"},` +
	`{"type":"string","optional":false,"field":"connector"},` +
	`{"type":"string","optional":false,"field":"name"},` +
	`{"type":"int64","optional":false,"field":"ts_ms"},` +
	`{"type":"string","optional":true,"name":"io.debezium.data.Enum","version":1,` +
	`"parameters":{"allowed":"true,first,first_in_data_collection,last_in_data_collection,last,false,incremental"},` +
	`"default":"false","field":"snapshot"},` +
	`{"type":"string","optional":false,"field":"db"},` +
	`{"type":"string","optional":true,"field":"sequence"},` +
	`{"type":"int64","optional":true,"field":"ts_us"},` +
	`{"type":"int64","optional":true,"field":"ts_ns"},` +
	`{"type":"string","optional":false,"field":"schema"},` +
	`{"type":"string","optional":false,"field":"table"},` +
	`{"type":"int64","optional":true,"field":"txId"},` +
	`{"type":"int64","optional":true,"field":"lsn"},` +
	`{"type":"int64","optional":true,"field":"xmin"},` +
	`{"type":"string","optional":true,"field":"origin"},` +
	`{"type":"int64","optional":true,"field":"origin_lsn"}` +
	`],"optional":false,"name":"io.debezium.connector.postgresql.Source","version":1,"field":"source"}`
