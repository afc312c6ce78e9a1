package config

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/weirerr"
)

// Field is one option of a configuration struct.
type Field struct {
	Path  string // key in the file: log.segment_bytes
	Doc   string
	value reflect.Value
}

// Fields lists the options of a *Server or *Changefeed, in order of declaration.
func Fields(cfg any) []Field { return fields(reflect.ValueOf(cfg).Elem(), "") }

func fields(v reflect.Value, prefix string) []Field {
	var out []Field
	for i := range v.NumField() {
		f := v.Type().Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		if f.Type.Kind() == reflect.Struct {
			out = append(out, fields(v.Field(i), prefix+key+".")...)
			continue
		}
		out = append(out, Field{Path: prefix + key, Doc: f.Tag.Get("doc"), value: v.Field(i)})
	}
	return out
}

// Env is the environment variable that sets a server option.
func (f Field) Env() string { return "WEIR_" + strings.ToUpper(strings.ReplaceAll(f.Path, ".", "_")) }

// Flag is the name of the flag that sets a server option.
func (f Field) Flag() string { return strings.NewReplacer(".", "-", "_", "-").Replace(f.Path) }

// IsBool tells whether the option is a switch.
func (f Field) IsBool() bool { return f.value.Kind() == reflect.Bool }

// Kind is what a user writes: text, number, size, duration, true or false.
func (f Field) Kind() string {
	switch f.value.Interface().(type) {
	case Bytes:
		return "size"
	case Duration:
		return "duration"
	case bool:
		return "true or false"
	case string:
		return "text"
	}
	return "number"
}

// String prints the option's value as a file would have it, unquoted.
func (f Field) String() string { return fmt.Sprint(f.value.Interface()) }

// Set reads the option from text.
func (f Field) Set(text string) error {
	if u, ok := f.value.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	switch f.value.Kind() {
	case reflect.String:
		f.value.SetString(text)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is not true or false", text)
		}
		f.value.SetBool(b)
	default:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not a number", text)
		}
		f.value.SetInt(n)
	}
	return nil
}

// ApplyEnv sets the options whose environment variable is set.
func (s *Server) ApplyEnv(lookup func(string) (string, bool)) error {
	for _, f := range Fields(s) {
		text, ok := lookup(f.Env())
		if !ok {
			continue
		}
		if err := f.Set(text); err != nil {
			return weirerr.New(weirerr.InvalidArgument, "environment variable %s: %v", f.Env(), err)
		}
	}
	return nil
}
