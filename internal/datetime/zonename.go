package datetime

import (
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/weirstream/weir/internal/datum"
)

// abbreviation is what a zone's short name stands for: an offset, or a zone.
type abbreviation struct {
	east   int
	summer bool
	zone   string
}

// abbreviations are PostgreSQL's defaults, lower case.
var abbreviations = readAbbreviations()

func readAbbreviations() map[string]abbreviation {
	m := map[string]abbreviation{}
	for _, word := range strings.Fields(fixedAbbreviations) {
		name, value, _ := strings.Cut(word, "=")
		value, summer := strings.CutSuffix(value, "D")
		east, _ := strconv.Atoi(value)
		m[name] = abbreviation{east: east, summer: summer}
	}
	for _, word := range strings.Fields(movingAbbreviations) {
		name, value, _ := strings.Cut(word, "=")
		m[name] = abbreviation{zone: value}
	}
	return m
}

// loaded keeps the zones that were read, by the name they were asked for; names that
// are none are not kept.
var loaded sync.Map

// LookupZone finds the zone that AT TIME ZONE and dates in text name: an abbreviation
// (EST, CEST), a name of the zone database in any case, or a POSIX offset, which counts
// westward: UTC+3 is three hours behind. The error has SQLSTATE 22023.
func LookupZone(name string) (*time.Location, error) {
	if zone := lookupZone(name); zone != nil {
		return zone, nil
	}
	return nil, fault(datum.CodeInvalidParameter, "time zone \"%s\" not recognized", name)
}

func lookupZone(name string) *time.Location {
	if zone, ok := Abbreviation(name); ok {
		return zone
	}
	return namedZone(name)
}

// LoadZone finds the zone that SET TimeZone names: a name of the zone database in any
// case, hours east of UTC, or a POSIX offset. The error has SQLSTATE 22023.
func LoadZone(name string) (*time.Location, error) {
	if hours, err := strconv.ParseFloat(strings.TrimSpace(name), 64); err == nil && hours > -168 && hours < 168 {
		return FixedZone(int(hours * 3600)), nil
	}
	if zone := namedZone(name); zone != nil {
		return zone, nil
	}
	return nil, fault(datum.CodeInvalidParameter, "invalid value for parameter \"TimeZone\": \"%s\"", name)
}

// Abbreviation is what a short name such as CEST stands for; false when it is none.
func Abbreviation(name string) (*time.Location, bool) {
	a, ok := abbreviations[strings.ToLower(name)]
	switch {
	case !ok:
		return nil, false
	case a.zone != "":
		zone := namedZone(a.zone)
		return zone, zone != nil
	}
	return time.FixedZone(strings.ToUpper(name), a.east), true
}

// lastKnownYear is beyond what zone data lists one by one; from then on rules repeat.
const lastKnownYear = 2040

// IsStandard tells whether name is an abbreviation of one offset that is not daylight saving time's.
func IsStandard(name string) bool {
	a, ok := abbreviations[strings.ToLower(name)]
	return ok && a.zone == "" && !a.summer
}

// AbbreviatedOffset is the offset that an abbreviation means where clocks in zone, for
// which it stands, show local: the one it last had by then, else the first it got.
func AbbreviatedOffset(local datum.Timestamp, zone *time.Location, name string) int {
	name = strings.ToUpper(name)
	at := time.Unix(unixSeconds(local)-int64(LocalOffset(local, zone)), 0).In(zone)
	for t := at; ; {
		if shown, east := t.Zone(); shown == name {
			return east
		}
		start, _ := t.ZoneBounds()
		if start.IsZero() {
			break
		}
		t = start.Add(-time.Second)
	}
	for t := at; ; {
		_, end := t.ZoneBounds()
		if end.IsZero() || end.Year() > max(at.Year(), lastKnownYear) {
			return LocalOffset(local, zone)
		}
		if shown, east := end.Zone(); shown == name {
			return east
		}
		t = end
	}
}

// FixedZone is the zone that is always so many seconds east of UTC, named as
// PostgreSQL does: <+05>-05.
func FixedZone(east int) *time.Location {
	shown := string(AppendOffset(nil, east))
	return time.FixedZone("<"+shown+">"+string(AppendOffset(nil, -east)), east)
}

// ZoneOfInterval is the zone of AT TIME ZONE interval.
func ZoneOfInterval(v datum.Interval) (*time.Location, error) {
	if v.Months != 0 || v.Days != 0 {
		return nil, fault(datum.CodeInvalidParameter, "interval time zone \"%s\" must not include months or days", datum.AppendInterval(nil, v))
	}
	return FixedZone(int(v.Micros / datum.Second)), nil
}

// namedZone finds a name of the zone database, or a POSIX offset; nil when it is neither.
func namedZone(name string) *time.Location {
	if zone, ok := loaded.Load(name); ok {
		return zone.(*time.Location)
	}
	for _, spelling := range []string{name, strings.ToUpper(name), titled(name)} {
		if !plausible(spelling) {
			continue
		}
		if zone, err := time.LoadLocation(spelling); err == nil {
			if spelling == "UTC" {
				zone = time.UTC
			}
			loaded.Store(strings.Clone(name), zone)
			return zone
		}
	}
	return posixZone(name)
}

// plausible keeps what the zone database cannot have away from the file system.
func plausible(name string) bool {
	if name == "" || name == "Local" || len(name) > 64 || strings.Contains(name, "..") || name[0] == '/' {
		return false
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c|0x20 >= 'a' && c|0x20 <= 'z', c-'0' <= 9, c == '/', c == '_', c == '-', c == '+':
		default:
			return false
		}
	}
	return true
}

// smallWords are written small inside names: America/Port_of_Spain.
var smallWords = map[string]string{"Of": "of", "Au": "au", "Es": "es", "Gmt": "GMT", "Mcmurdo": "McMurdo", "Dumontdurville": "DumontDUrville",
	"Utc": "UTC", "Uct": "UCT", "Us": "US", "Nz": "NZ", "Prc": "PRC", "Roc": "ROC", "Rok": "ROK", "Nsw": "NSW", "Act": "ACT", "Lhi": "LHI"}

// titled spells europe/berlin as the zone database does: Europe/Berlin.
func titled(name string) string {
	var b strings.Builder
	for rest := strings.ToLower(name); rest != ""; {
		n := strings.IndexAny(rest, "/_-+")
		if n < 0 {
			n = len(rest)
		}
		word := rest[:n]
		if word != "" {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		if small, ok := smallWords[word]; ok && (b.Len() > 0 || small == strings.ToUpper(small)) {
			word = small
		}
		b.WriteString(word)
		if n < len(rest) {
			b.WriteByte(rest[n])
			n++
		}
		rest = rest[n:]
	}
	return b.String()
}

// posixZone reads name±HH[:MM[:SS]], where the sign counts westward and the name, maybe
// in <>, may be missing; daylight saving rules are not taken.
func posixZone(spec string) *time.Location {
	name, rest := spec, ""
	if strings.HasPrefix(spec, "<") {
		end := strings.IndexByte(spec, '>')
		if end < 0 {
			return nil
		}
		name, rest = spec[1:end], spec[end+1:]
	} else if n := strings.IndexAny(spec, "+-0123456789,"); n >= 0 {
		name, rest = spec[:n], spec[n:]
	}
	west, ok := posixOffset(rest)
	if !ok {
		return nil
	}
	return time.FixedZone(name, -west)
}

func posixOffset(s string) (seconds int, ok bool) {
	negative := strings.HasPrefix(s, "-")
	parts := strings.Split(strings.TrimLeft(s, "+-"), ":")
	if s == "" || len(parts) > 3 || len(s)-len(strings.TrimLeft(s, "+-")) > 1 {
		return 0, false
	}
	unit := 3600
	for i, p := range parts {
		v, err := strconv.ParseUint(p, 10, 16)
		if err != nil || i == 0 && v > 167 || i > 0 && v > 59 {
			return 0, false
		}
		seconds += int(v) * unit
		unit /= 60
	}
	if negative {
		seconds = -seconds
	}
	return seconds, true
}
