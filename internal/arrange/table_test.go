package arrange_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weirstream/weir/internal/arrange"
)

// model is a table beside what it should hold, and its store.
type model struct {
	t     *rapid.T
	table *arrange.Table
	want  map[string]map[string]string // group ─► suffix ─► value
	store map[string]string            // bucket | group | suffix ─► value
	batch arrange.Batch
	slots []uint32
	few   int // groups to choose from
}

func newModel(t *rapid.T) *model {
	return &model{t: t, table: arrange.New(), want: map[string]map[string]string{}, store: map[string]string{}}
}

// groupName is self delimiting, as keys of groups are.
func groupName(i int) string { return fmt.Sprintf("g%0*d!", 1+i%3*7, i) }

func suffixName(i int) string {
	return fmt.Sprintf("%s%d", strings.Repeat("s", 1+i%11), i)
}

// slot finds a group, fetching it if it must be.
func (m *model) slot(group string) uint32 {
	for range 2 {
		m.batch.Reset()
		m.batch.Data = append(m.batch.Data, group...)
		m.batch.End()
		m.slots = append(m.slots[:0], 0)
		if !m.table.FindOrInsert(&m.batch, m.slots) {
			return m.slots[0]
		}
		m.fill()
	}
	m.t.Fatal("a filled group is missing")
	return 0
}

// many finds several groups at once; until Tick they stay where they are.
func (m *model) many(n int) {
	var groups []string
	m.batch.Reset()
	for range n {
		g := m.group()
		groups = append(groups, g)
		m.batch.Data = append(m.batch.Data, g...)
		m.batch.End()
	}
	m.slots = make([]uint32, n)
	if m.table.FindOrInsert(&m.batch, m.slots) {
		if wanted := m.table.Wanted(); len(wanted) > 1 { // one comes late
			m.fillThese(wanted[1:])
			if again := m.table.Wanted(); len(again) != 1 || !bytes.Equal(again[0], wanted[0]) {
				m.t.Fatalf("%q is wanted, not %q", again, wanted[0])
			}
		}
		m.fill()
		if m.table.FindOrInsert(&m.batch, m.slots) {
			m.t.Fatal("a filled group is missing")
		}
	}
	m.table.Evict(0)
	for i, slot := range m.slots {
		if string(m.table.Key(slot)) != groups[i] {
			m.t.Fatalf("slot of %q is that of %q after an eviction", groups[i], m.table.Key(slot))
		}
		m.check(groups[i], "")
	}
}

func (m *model) fill() {
	wanted := m.table.Wanted()
	if !slices.IsSortedFunc(wanted, bytes.Compare) {
		m.t.Fatal("Wanted is not ascending")
	}
	m.fillThese(wanted)
	if len(m.table.Wanted()) > 0 {
		m.t.Fatal("groups are wanted after they were filled")
	}
}

func (m *model) fillThese(wanted [][]byte) {
	for _, group := range wanted {
		m.table.Fill(group, func(yield func(suffix, value []byte) bool) {
			for _, key := range slices.Sorted(maps.Keys(m.store)) {
				if suffix, ok := strings.CutPrefix(key, string(group)); ok && !yield([]byte(suffix), []byte(m.store[key])) {
					return
				}
			}
		})
	}
}

// seal brings the store up to date and checks that it then is.
func (m *model) seal() {
	var last []byte
	m.table.Changes(func(key, value []byte) {
		if last != nil && bytes.Compare(last, key) >= 0 {
			m.t.Fatalf("changes are not ascending: %q after %q", key, last)
		}
		last = bytes.Clone(key)
		_, had := m.store[string(key)]
		if value == nil {
			if !had {
				m.t.Fatalf("%q is deleted, and was not there", key)
			}
			delete(m.store, string(key))
		} else {
			m.store[string(key)] = string(value)
		}
	})
	m.table.Sealed()
	m.table.Changes(func(key, _ []byte) { m.t.Fatalf("%q has changed after Sealed", key) })
	whole := map[string]string{}
	for group, entries := range m.want {
		for suffix, value := range entries {
			whole[string(arrange.AppendGroup(nil, []byte(group)))+suffix] = value
		}
	}
	if !maps.Equal(whole, m.store) {
		m.t.Fatalf("store\n%q\nwant\n%q", m.store, whole)
	}
}

// check compares one group, forwards and backwards, and a seek.
func (m *model) check(group string, seek string) {
	slot := m.slot(group)
	want := m.want[group]
	if head, has := want[""]; has != (m.table.Head(slot) != nil) || head != string(m.table.Head(slot)) {
		m.t.Fatalf("%s: head %q, want %q", group, m.table.Head(slot), head)
	}
	suffixes := slices.DeleteFunc(slices.Sorted(maps.Keys(want)), func(s string) bool { return s == "" })
	if n := m.table.Count(slot); n != len(suffixes) {
		m.t.Fatalf("%s: %d entries, want %d", group, n, len(suffixes))
	}
	i := 0
	for c := m.table.First(slot); c.Valid(); c.Next() {
		if s := string(m.table.Suffix(c.ID())); i >= len(suffixes) || s != suffixes[i] || string(m.table.Value(c.ID())) != want[s] {
			m.t.Fatalf("%s: entry %d is %q", group, i, s)
		}
		i++
	}
	if i != len(suffixes) {
		m.t.Fatalf("%s: %d entries by cursor, want %d", group, i, len(suffixes))
	}
	for c := m.table.Last(slot); c.Valid(); c.Prev() {
		if i--; string(m.table.Suffix(c.ID())) != suffixes[i] {
			m.t.Fatalf("%s: entry %d from behind is %q", group, i, m.table.Suffix(c.ID()))
		}
	}
	at, _ := slices.BinarySearch(suffixes, seek)
	switch c := m.table.Seek(slot, []byte(seek)); {
	case c.Valid() != (at < len(suffixes)):
		m.t.Fatalf("%s: seek %q: valid %v", group, seek, c.Valid())
	case c.Valid() && string(m.table.Suffix(c.ID())) != suffixes[at]:
		m.t.Fatalf("%s: seek %q: %q, want %q", group, seek, m.table.Suffix(c.ID()), suffixes[at])
	}
}

func (m *model) group() string {
	g := groupName(rapid.IntRange(0, m.few).Draw(m.t, "group"))
	if m.want[g] == nil {
		m.want[g] = map[string]string{}
	}
	return g
}

func (m *model) value() string {
	return strings.Repeat("v", rapid.IntRange(0, 40).Draw(m.t, "length"))
}

// shrink deletes some entries of a group, in some order.
func (m *model) shrink() {
	g := m.group()
	left := slices.DeleteFunc(slices.Sorted(maps.Keys(m.want[g])), func(s string) bool { return s == "" })
	for n := rapid.IntRange(0, len(left)).Draw(m.t, "how many"); n > 0; n-- {
		i := (n * 7919) % len(left)
		id, _ := m.table.Get(m.slot(g), []byte(left[i]))
		m.table.Delete(id)
		delete(m.want[g], left[i])
		left = slices.Delete(left, i, i+1)
	}
	m.check(g, "")
}

func TestTableIsAMapWhateverIsSealedAndEvicted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newModel(t)
		m.few = rapid.SampledFrom([]int{1, 12}).Draw(t, "groups")
		wide := rapid.SampledFrom([]int{3, 40, 2000}).Draw(t, "suffixes")
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				g := m.group()
				for range rapid.IntRange(1, wide/4+1).Draw(t, "times") {
					s, v := suffixName(rapid.IntRange(0, wide).Draw(t, "suffix")), m.value()
					m.table.Put(m.slot(g), []byte(s), []byte(v))
					m.want[g][s] = v
				}
			},
			"delete": func(t *rapid.T) {
				g := m.group()
				for range rapid.IntRange(1, wide/4+1).Draw(t, "times") {
					s := suffixName(rapid.IntRange(0, wide).Draw(t, "suffix"))
					id, found := m.table.Get(m.slot(g), []byte(s))
					if _, want := m.want[g][s]; found != want {
						t.Fatalf("%s %s: found %v", g, s, found)
					}
					if found {
						m.table.Delete(id)
						delete(m.want[g], s)
					}
				}
			},
			"head": func(t *rapid.T) {
				g, v := m.group(), m.value()
				copy(m.table.SetHead(m.slot(g), len(v)), v)
				m.want[g][""] = v
			},
			"drop head": func(t *rapid.T) {
				g := m.group()
				m.table.DropHead(m.slot(g))
				delete(m.want[g], "")
			},
			"shrink": func(t *rapid.T) { m.shrink() },
			"many":   func(t *rapid.T) { m.many(rapid.IntRange(1, 6).Draw(t, "how many")) },
			"tick":   func(*rapid.T) { m.table.Tick() },
			"seal":   func(*rapid.T) { m.seal() },
			"evict": func(t *rapid.T) {
				m.table.Tick()
				m.table.Evict(rapid.SampledFrom([]int64{0, 1 << 19}).Draw(t, "target"))
			},
			"trim": func(*rapid.T) { // with nothing in hand records move
				m.seal()
				m.table.Tick()
				m.table.Evict(m.table.Bytes() - 1)
			},
			"restart": func(*rapid.T) {
				m.seal()
				m.table = arrange.New()
				m.table.SetCold()
			},
			"": func(t *rapid.T) { m.check(m.group(), suffixName(rapid.IntRange(0, wide).Draw(t, "seek"))) },
		})
	})
}
