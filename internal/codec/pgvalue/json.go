package pgvalue

import "encoding/json"

func appendJSON(dst, text []byte) ([]byte, error) {
	if !json.Valid(text) {
		return dst, badInput("json", text)
	}
	return append(dst, text...), nil
}

func appendJSONB(dst, text []byte) ([]byte, error) { return appendJSON(dst, text) }
