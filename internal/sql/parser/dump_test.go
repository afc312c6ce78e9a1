package parser_test

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
)

// dump prints a tree: the node's type, where it begins, its fields that are not zero.
func dump(node any) string {
	var b strings.Builder
	dumpValue(&b, reflect.ValueOf(node), "")
	return b.String()
}

func dumpValue(b *strings.Builder, v reflect.Value, indent string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			b.WriteString("nil")
			return
		}
		dumpValue(b, v.Elem(), indent)
	case reflect.Struct:
		dumpStruct(b, v, indent)
	case reflect.Slice:
		b.WriteString("[")
		for i := range v.Len() {
			if i > 0 {
				b.WriteString(" ")
			}
			dumpValue(b, v.Index(i), indent)
		}
		b.WriteString("]")
	case reflect.String:
		fmt.Fprintf(b, "%q", v.String())
	default:
		fmt.Fprint(b, v.Interface())
	}
}

func dumpStruct(b *strings.Builder, v reflect.Value, indent string) {
	t := v.Type()
	if ref, ok := v.Interface().(datum.TypeRef); ok {
		fmt.Fprintf(b, "%d/%d", ref.OID, ref.Mod)
		return
	}
	b.WriteString(t.Name())
	if at := v.FieldByName("At"); at.IsValid() && at.Type() == reflect.TypeFor[sql.At]() {
		fmt.Fprintf(b, "@%d", at.Int())
	}
	deep := indent + "  "
	for i := range v.NumField() {
		f := v.Field(i)
		if t.Field(i).Name == "At" || f.IsZero() || f.Kind() == reflect.Slice && f.Len() == 0 {
			continue
		}
		fmt.Fprintf(b, "\n%s%s: ", deep, t.Field(i).Name)
		dumpValue(b, f, deep)
	}
}
