package jsontext

import (
	"errors"
	"fmt"
	"strconv"
)

// Concat is jsonb's ||: of two objects the union, the right one's values winning; else of arrays, where what is
// no array counts as one of one element.
func Concat(dst, a, b []byte) []byte {
	if Kind(a) == Object && Kind(b) == Object {
		return Append(dst, Object, Sort(append(List(a), List(b)...)))
	}
	return Append(dst, Array, append(elements(a), elements(b)...))
}

func elements(v []byte) []Member {
	if Kind(v) == Array {
		return List(v)
	}
	return []Member{{Value: v}}
}

// Errors of editing, in PostgreSQL's words.
var (
	ErrDeleteScalar = errors.New("cannot delete from scalar")
	ErrDeleteObject = errors.New("cannot delete from object using integer index")
	ErrSetScalar    = errors.New("cannot set path in scalar")
	ErrDeletePath   = errors.New("cannot delete path in scalar")
	ErrReplace      = errors.New("cannot replace existing key")
)

// PathError is a step that is no index where one has to be.
type PathError struct {
	Position int
	Step     string
}

func (e *PathError) Error() string {
	return fmt.Sprintf("path element at position %d is not an integer: %q", e.Position, e.Step)
}

// NullStepError is a step that is NULL.
type NullStepError struct{ Position int }

func (e *NullStepError) Error() string {
	return fmt.Sprintf("path element at position %d is null", e.Position)
}

// Delete is v without a key, or without the strings equal to it.
func Delete(dst, v, key []byte) ([]byte, error) {
	kind := Kind(v)
	if IsScalar(v) {
		return dst, ErrDeleteScalar
	}
	var kept []Member
	for _, m := range List(v) {
		if kind == Object && keyIs(m.Key, key) || kind == Array && Kind(m.Value) == String && keyIs(m.Value, key) {
			continue
		}
		kept = append(kept, m)
	}
	return Append(dst, kind, kept), nil
}

// DeleteAt is an array without element i.
func DeleteAt(dst, v []byte, i int) ([]byte, error) {
	switch Kind(v) {
	case Object:
		return dst, ErrDeleteObject
	case Array:
		all := List(v)
		if i < 0 {
			i += len(all)
		}
		if i >= 0 && i < len(all) {
			all = append(all[:i:i], all[i+1:]...)
		}
		return Append(dst, Array, all), nil
	}
	return dst, ErrDeleteScalar
}

// Edit is what to do at the end of a path.
type Edit struct {
	Value  []byte // nil: delete
	Create bool   // set a member that is not there
	Insert bool   // put it beside what is there
	After  bool   // of Insert: after it
}

// Apply is v with the edit at path. A path that leads nowhere changes nothing.
func (e *Edit) Apply(dst, v []byte, path [][]byte) ([]byte, error) {
	if IsScalar(v) {
		if e.Value == nil {
			return dst, ErrDeletePath
		}
		return dst, ErrSetScalar
	}
	if len(path) == 0 || Len(v) == 0 && !e.Create && !e.Insert {
		return append(dst, v...), nil
	}
	out, err := e.walk(v, path, 0)
	return append(dst, out...), err
}

// walk follows the path; a step is nil where it is NULL.
func (e *Edit) walk(v []byte, path [][]byte, depth int) ([]byte, error) {
	if path[depth] == nil {
		return nil, &NullStepError{depth + 1}
	}
	switch Kind(v) {
	case Object:
		return e.inObject(v, path, depth)
	case Array:
		return e.inArray(v, path, depth)
	}
	return v, nil
}

func (e *Edit) inObject(v []byte, path [][]byte, depth int) ([]byte, error) {
	all, last := List(v), depth == len(path)-1
	for i, m := range all {
		if !keyIs(m.Key, path[depth]) {
			continue
		}
		switch {
		case !last:
			inner, err := e.walk(m.Value, path, depth+1)
			if err != nil {
				return nil, err
			}
			all[i].Value = inner
		case e.Insert:
			return nil, ErrReplace
		case e.Value == nil:
			all = append(all[:i:i], all[i+1:]...)
		default:
			all[i].Value = e.Value
		}
		return Append(nil, Object, all), nil
	}
	if last && e.Value != nil && (e.Create || e.Insert) {
		all = Sort(append(all, Member{AppendQuoted(nil, path[depth]), e.Value}))
	}
	return Append(nil, Object, all), nil
}

func (e *Edit) inArray(v []byte, path [][]byte, depth int) ([]byte, error) {
	all, last := List(v), depth == len(path)-1
	i, err := strconv.Atoi(string(path[depth]))
	if err != nil {
		return nil, &PathError{depth + 1, string(path[depth])}
	}
	if i < 0 {
		i += len(all)
	}
	new := Member{Value: e.Value}
	switch inside := i >= 0 && i < len(all); {
	case !last:
		if inside {
			if all[i].Value, err = e.walk(all[i].Value, path, depth+1); err != nil {
				return nil, err
			}
		}
	case !inside && (e.Create || e.Insert) && e.Value != nil:
		if i < 0 {
			all = append([]Member{new}, all...)
		} else {
			all = append(all, new)
		}
	case !inside:
	case e.Insert:
		if e.After {
			i++
		}
		all = append(all[:i:i], append([]Member{new}, all[i:]...)...)
	case e.Value == nil:
		all = append(all[:i:i], all[i+1:]...)
	default:
		all[i] = new
	}
	return Append(nil, Array, all), nil
}

// StripNulls is v without members that are null. Elements of arrays stay. Blanks are not kept.
func StripNulls(dst, v []byte, compact bool) []byte {
	kind := Kind(v)
	if IsScalar(v) {
		return append(dst, Trim(v)...)
	}
	comma, colon := ", ", ": "
	if compact {
		comma, colon = ",", ":"
	}
	dst = append(dst, kind)
	first := true
	for it := Members(v); it.Next(); {
		if kind == Object && Kind(it.Value) == Null {
			continue
		}
		if !first {
			dst = append(dst, comma...)
		}
		first = false
		if kind == Object {
			dst = append(append(dst, it.Key...), colon...)
		}
		dst = StripNulls(dst, it.Value, compact)
	}
	if kind == Object {
		return append(dst, '}')
	}
	return append(dst, ']')
}

// Pretty is v on lines, indented by four blanks.
func Pretty(dst, v []byte, depth int) []byte {
	kind := Kind(v)
	if IsScalar(v) {
		return append(dst, Trim(v)...)
	}
	line := func(dst []byte, depth int) []byte {
		dst = append(dst, '\n')
		for range depth {
			dst = append(dst, "    "...)
		}
		return dst
	}
	dst = append(dst, kind)
	first := true
	for it := Members(v); it.Next(); first = false {
		if !first {
			dst = append(dst, ',')
		}
		dst = line(dst, depth+1)
		if kind == Object {
			dst = append(append(dst, it.Key...), ": "...)
		}
		dst = Pretty(dst, it.Value, depth+1)
	}
	dst = line(dst, depth)
	if kind == Object {
		return append(dst, '}')
	}
	return append(dst, ']')
}
