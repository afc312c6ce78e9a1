package rig

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// Line is one change as the file sink writes it: Debezium's JSON.
type Line struct {
	Op     string          `json:"op"`
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
	Source struct {
		Schema   string `json:"schema"`
		Table    string `json:"table"`
		Snapshot string `json:"snapshot"`
		TxID     int64  `json:"txId"`
		LSN      int64  `json:"lsn"`
	} `json:"source"`
}

// Row decodes the after image, or the before image when there is none, keeping
// numbers as they are written.
func (l *Line) Row() (map[string]any, error) {
	image := l.After
	if len(image) == 0 || bytes.Equal(image, []byte("null")) {
		image = l.Before
	}
	dec := json.NewDecoder(bytes.NewReader(image))
	dec.UseNumber()
	var row map[string]any
	return row, dec.Decode(&row)
}

// ReadLines reads every NDJSON file under dir, in name order, and calls use with
// each line that is a change of a row. Lines that are no change (resolved
// records) are skipped.
func ReadLines(dir string, use func(*Line) error) error {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (strings.HasSuffix(path, ".ndjson") || strings.HasSuffix(path, ".jsonl")) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	sort.Strings(files)
	for _, path := range files {
		if err := readFile(path, use); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

func readFile(path string, use func(*Line) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	for n := 1; ; n++ {
		text, err := r.ReadBytes('\n')
		if len(bytes.TrimSpace(text)) > 0 {
			var line Line
			if err := json.Unmarshal(text, &line); err != nil {
				return fmt.Errorf("line %d: %w in %.200s", n, err, text)
			}
			if line.Op != "" {
				if err := use(&line); err != nil {
					return fmt.Errorf("line %d: %w", n, err)
				}
			}
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}
