package main

import (
	"encoding/json"
	"fmt"
	"math"
)

// figure is one line of the output.
type figure struct {
	Figure string  `json:"figure"`
	Ours   float64 `json:"ours"`
	Peer   string  `json:"peer"`
	Theirs float64 `json:"theirs"`
	Unit   string  `json:"unit"`
	// Ratio says how many times better we are.
	Ratio float64 `json:"ratio"`
	// Bar is the ratio to reach; nil where none is set.
	Bar *float64 `json:"bar"`
	// Processor seconds of PostgreSQL's sender, where it bounds the figure.
	OurSender   *float64 `json:"walsender_cpu_s_ours,omitempty"`
	TheirSender *float64 `json:"walsender_cpu_s_theirs,omitempty"`
}

// more is a figure of which more is better, such as rows a second.
func more(name string, ours float64, peer string, theirs float64, unit string, bar float64) *figure {
	return &figure{Figure: name, Ours: ours, Peer: peer, Theirs: theirs, Unit: unit, Ratio: ours / theirs, Bar: barOf(bar)}
}

// less is a figure of which less is better, such as milliseconds.
func less(name string, ours float64, peer string, theirs float64, unit string, bar float64) *figure {
	return &figure{Figure: name, Ours: ours, Peer: peer, Theirs: theirs, Unit: unit, Ratio: theirs / ours, Bar: barOf(bar)}
}

// bound is a figure with a limit instead of a peer.
func bound(name string, ours, limit float64, unit string) *figure {
	return less(name, ours, "bound", limit, unit, 1)
}

func barOf(bar float64) *float64 {
	if bar == 0 {
		return nil
	}
	return &bar
}

// senders adds the walsender seconds.
func (f *figure) senders(ours, theirs float64) *figure {
	ours, theirs = significant(ours), significant(theirs)
	f.OurSender, f.TheirSender = &ours, &theirs
	return f
}

func (f *figure) print() error {
	f.Ours, f.Theirs, f.Ratio = significant(f.Ours), significant(f.Theirs), significant(f.Ratio)
	line, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("figure %s: %w", f.Figure, err)
	}
	fmt.Println(string(line))
	return nil
}

// significant keeps four digits: the rest is noise.
func significant(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0
	}
	unit := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*unit) / unit
}
