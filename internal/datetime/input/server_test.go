package input

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/datetime"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/pgtest"
)

var srv *pgtest.Server

func TestMain(m *testing.M) { pgtest.Main(m, &srv) }

// tryCast is a function of the server that casts or says why not.
const tryCast = `CREATE OR REPLACE FUNCTION try(v text, typ text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r text; BEGIN EXECUTE format('SELECT (%L::%s)::text', v, typ) INTO r; RETURN r;
EXCEPTION WHEN OTHERS THEN RETURN sqlstate || ' ' || sqlerrm; END $$`

const zoneName = "Europe/Berlin"

// ask has the server read every text as typ.
func ask(t *testing.T, typ string, texts []string) []string {
	t.Helper()
	conn := srv.Conn(t, "postgres")
	ctx := context.Background()
	for _, set := range []string{"SET DateStyle = 'ISO, MDY'", "SET IntervalStyle = 'postgres'", "SET TimeZone = '" + zoneName + "'", tryCast} {
		if _, err := conn.Exec(ctx, set); err != nil {
			t.Fatal(err)
		}
	}
	var answers []string
	err := conn.QueryRow(ctx, "SELECT array_agg(try(v, $2) ORDER BY n) FROM unnest($1::text[]) WITH ORDINALITY u(v, n)", texts, typ).Scan(&answers)
	if err != nil || len(answers) != len(texts) {
		t.Fatalf("%d answers, %v", len(answers), err)
	}
	return answers
}

// read is our reading as text, or the error as the server words it.
func read(typ, text string, zone *time.Location) string {
	ctx := Context{Zone: zone}
	var out []byte
	var err error
	switch typ {
	case "date":
		var d datum.Date
		d, err = Date([]byte(text), ctx)
		out = datum.AppendDate(nil, d)
	case "timestamp":
		var d datum.Timestamp
		d, err = Timestamp([]byte(text), ctx)
		out = datum.AppendTimestamp(nil, d)
	case "timestamptz":
		var d datum.Timestamp
		d, err = TimestampTZ([]byte(text), ctx)
		out = datetime.AppendTimestampTZ(nil, d, zone)
	case "time":
		var d datum.Time
		d, err = Time([]byte(text), ctx)
		out = datum.AppendTime(nil, d)
	default:
		mod, ok := intervalMods[typ]
		if !ok {
			mod = -1
		}
		var d datum.Interval
		d, err = Interval([]byte(text), mod)
		out = datum.AppendInterval(nil, d)
	}
	if fault, bad := err.(*datum.Error); bad {
		return fault.Code + " " + fault.Message
	}
	return string(out)
}

// intervalMods are modifiers of interval types as the server has them.
var intervalMods = map[string]int32{
	"interval year": 4<<16 | 0xffff, "interval month": 2<<16 | 0xffff, "interval year to month": 6<<16 | 0xffff, "interval day": 8<<16 | 0xffff,
	"interval hour": 1024<<16 | 0xffff, "interval minute": 2048<<16 | 0xffff, "interval second": 4096<<16 | 0xffff, "interval day to hour": 1032<<16 | 0xffff,
	"interval hour to minute": 3072<<16 | 0xffff, "interval minute to second": 6144<<16 | 0xffff, "interval day to second(2)": 7176<<16 | 2, "interval(3)": 0x7fff<<16 | 3,
}

func TestIntervalModifiersAsTheServerHasThem(t *testing.T) {
	texts := []string{"5", "1-2", "1 year 2 mons 3 days 04:05:06.789", "-1 year -2 mons +3 days -04:05:06.789", "10:20", "3 10:20", "1.5", "36 months", "90 seconds", "1.005 s", "-0.0005 s", "P1Y2M3DT4H5M6S", "1 2 3"}
	for typ := range intervalMods {
		compare(t, typ, texts)
	}
}

func compare(t *testing.T, typ string, texts []string) {
	t.Helper()
	zone, err := time.LoadLocation(zoneName)
	if err != nil {
		t.Fatal(err)
	}
	wrong, taken := 0, 0
	for i, want := range ask(t, typ, texts) {
		got := read(typ, texts[i], zone)
		if got == want {
			if !strings.Contains(want, texts[i]+`"`) {
				taken++
			}
			continue
		}
		if wrong++; wrong <= 25 {
			t.Errorf("%s %q = %s; the server has %s", typ, texts[i], got, want)
		}
	}
	if wrong > 0 {
		t.Errorf("%s: %d of %d wrong", typ, wrong, len(texts))
	}
	t.Logf("%s: %d texts, %d of them values", typ, len(texts), taken)
}

var moments = []string{
	"2024-1-5", "2024-01-05 10:00", "Jan 5 2024", "January 5, 2024", "5 Jan 2024", "5-Jan-2024", "2024-Jan-05", "20240105", "240105", "1/5/2024", "1/5/24",
	"13/5/2024", "2024/01/05", "2024.01.05", "5.1.2024", "99-01-05", "2024-02-30", "2023-02-29", "2024-13-01", "0000-01-01", "0001-01-01 BC", "44-03-15 BC",
	"infinity", "-infinity", "+infinity", "epoch", "now", "today", "J2451187", "J2451187.5", "j2451187 10:00", "julian 2451187", "2024-060", "2024 60", "2024.060", "2024-366", "2023-366",
	"2024-01-05T10:00:00", "2024-01-05T10:00:00Z", "2024-01-05T10:00:00.123456789Z", "2024-01-05t100000", "20240105T100000", "20240105T100000Z", "20240105 100000.5",
	"2024-01-05 10:00:00+02", "2024-01-05 10:00:00-0530", "2024-01-05 10:00:00 +5:30", "2024-01-05 10:00:00+05:30:15", "2024-01-05 10:00:00+16", "2024-01-05 10:00:00+15:59:59",
	"2024-01-05 10:00:00 America/New_York", "2024-07-05 10:00:00 America/New_York", "2024-01-05 10:00 EST", "2024-07-05 10:00 EDT", "2024-07-05 10:00 CEST", "2024-07-05 10:00 MSK",
	"2024-01-05 10:00 Nowhere/Land", "2024-01-05 10:00 Nowhere", "2024-01-05 10:00 UTC+3", "2024-01-05 10:00 utc", "2024-01-05 10:00 gmt", "2024-01-05 10:00 zulu",
	"2024-01-05 10:00 AM", "2024-01-05 10:00 PM", "2024-01-05 12:00 am", "2024-01-05 12:30 pm", "2024-01-05 13:00 PM", "2024-01-05 10:00 PM EST", "2024-01-05 10:00pm",
	"Fri Jan 05 10:00:00 2024", "Fri Jan 05 10:00:00 2024 PST", "Fri Jan 05 10:00:00 PST 2024", "Friday, January 5, 2024 10:00:00 AM", "2024-01-05 24:00:00", "2024-01-05 24:00:01", "2024-01-05 23:59:60",
	"2024-01-05 23:59:61", "2024-01-05 10:60", "2024-03-31 02:30", "2024-03-31 03:00", "2024-10-27 02:30", "2024-10-27 02:30 CEST", "2024-10-27 02:30 CET", "1893-04-01 00:00", "1890-01-01 12:00", "", " ", "abc", "2024", "2024-01", "10:00", "10", "99999-01-01", "294276-12-31 23:59:59.999999",
	"294277-01-01", "4714-11-24 BC", "4714-11-23 BC", "5874897-12-31", "5874898-01-01", "2024-01-05 10:00:00.", "2024-01-05 10:00:00.9999999", "2024-01-05  10:00 , ", "2024-01-05 10", "2024-01-05 1000", "2024-01-05 100",
	"01-05-2024", "05-13-2024", "13-05-2024", "Jan-05-2024", "Jan 5", "5 2024", "J-5", "2024-01-05 MET DST", "2024-07-05 10:00 MET DST", "2024-07-05 10:00 DST", "2024-01-05 at 10:00", "on 2024-01-05", "2024-01-05 10:00 BC", "2024-01-05 AD", "2024-01-05 10:00:00,5",
	"2024--01-05", "2024-01-05 -05", "2024-01-05 10:00 -05", "2024-01-05+01", "allballs", "2024-01-05 allballs", "tomorrow 10:00", "y2024m1d5", "2024-01-05 101112+02", "2024-01-05 101112-02", "20240105101112", "2024010510", "1e5", "2024-01-05 1:2:3", "2024-1-5 1:2", "1999-W01-1",
	"noon", "y2024m1d5h10m30s15.5", "20240105 100000.5 +02", "2024-01-05 10:00:00 +00:60", "2024-01-05 10:00 Z", "Sat 2024-01-05", "2024 Jan 5", "24 Jan 5", "Jan 5 24", "12 Feb 13", "2024-01-05 10.5", "10:00 2024-01-05", "10:00:00 Jan 5 2024", "01/02/03 04:05:06", "0024-01-01", "024-01-01", "24-1-1", "1-1-1", "9999-12-31 23:59:59.9999995",
}

func TestMomentsAsTheServerReadsThem(t *testing.T) {
	plain := make([]string, 0, len(moments))
	for _, m := range moments {
		if m != "now" && m != "today" && m != "tomorrow 10:00" {
			plain = append(plain, m)
		}
	}
	for _, typ := range []string{"date", "timestamp", "timestamptz", "time"} {
		compare(t, typ, plain)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, typ := range []string{"date", "timestamp", "timestamptz", "time"} {
		texts := make([]string, 3000)
		for i := range texts {
			texts[i] = randomMoment(r)
		}
		compare(t, typ, texts)
	}
}

// randomMoment puts parts of dates and times together that may or may not fit.
func randomMoment(r *rand.Rand) string {
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	num := func(n int) string { return fmt.Sprint(r.IntN(n)) }
	date := pick(num(2200)+"-"+num(14)+"-"+num(33), num(14)+"/"+num(33)+"/"+num(2200), pick("Jan", "feb", "MAR", "sept", "december", "foo")+" "+num(33)+" "+num(2200),
		num(33)+" "+pick("Jan", "may")+" "+num(100), fmt.Sprintf("%04d%02d%02d", r.IntN(2200), r.IntN(13), r.IntN(32)), num(33)+"-"+pick("jan", "aug")+"-"+num(2200), "J"+num(3000000), num(100)+"."+num(100)+"."+num(3000))
	clock := pick(num(25)+":"+num(62), num(25)+":"+num(62)+":"+num(62), num(25)+":"+num(62)+":"+num(62)+"."+num(10000000), fmt.Sprintf("%02d%02d%02d", r.IntN(25), r.IntN(61), r.IntN(61)), num(14)+":00 "+pick("am", "PM"), "")
	zone := pick("", "", "+"+num(18), "-"+num(16)+":"+num(61), "Z", "EST", "CEST", "America/New_York", "europe/berlin", "UTC", "MSK", "+"+fmt.Sprintf("%02d%02d", r.IntN(15), r.IntN(60)))
	parts := []string{date, clock, zone}
	if r.IntN(6) == 0 {
		r.Shuffle(3, func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	}
	return strings.TrimSpace(parts[0] + pick(" ", " ", "T", "t", ", ") + parts[1] + pick("", " ") + parts[2] + pick("", "", "", "", " BC", " AD"))
}

var spans = []string{
	"1 day", "2 hours 30 min", "1-2", "-1-2", "+1-2", "P1DT2H", "10 seconds ago", "1.5 days", "1.5 months", "1.5 years", "1.7 weeks", "1 mon", "@ 1 minute", "@ 1 minute ago", "1 day -2 hours", "04:05", "04:05:06.789",
	"-04:05:06", "1 04:05", "1 day 04:05:06", "3 4:05:06", "10", "10.5", "-10", "1e3", "", " ", "abc", "1 foo", "1 day 1 day", "1 sec 1 sec", "1 sec 1 ms 1 us", "1.5 sec 1 ms", "1 year 2 months 3 days 4 hours 5 minutes 6.7 seconds",
	"P1Y2M3W4DT5H6M7.8S", "P0001-02-03T04:05:06", "P00010203T040506", "PT10M", "PT", "P", "P1", "P1T", "P-1Y", "PT-1.5S", "P1.5Y", "P1M1.5D", "T1H", "p1d", "1 century", "1 decade", "1 millennium", "2 millennia", "0.5 decades", "1 quarter", "1 qtr",
	"178000000 years", "178956970 years 7 months", "178956970 years 8 months", "2147483647 days", "2147483648 days", "9223372036854775807 us", "9223372036854775808 us", "-9223372036854775808 us", "-9223372036854775808 us ago", "2562047788 hours", "2562047788:00:54.775807", "2562047789:00:00",
	"1 day ago 2 hours", "ago", "1 d 2 h 3 m 4 s", "1y 2mon", "1y2mon", "1:2", "1:2:3:4", "1:60", "10:20.5", "-1 day 02:03", "1 -02:03", "1 +02:03", "+1 day", "- 1 day", "1 day,2 hours", "infinity", "1.1.1", "1-13", "1-2-3", "1-2 3 4:05", "999999999999 s", "0.0000005 s", "0.0000015 s", "1.0000005 s", ".5 s", "5. s", "-.5 s", "1 microseconds", "1 MILLISECONDS", "1 usecs", "1 w",
	"interval 1 day", "1 day 10", "1 day 10 20", "1 hour 10", "-1.5 months", "0.1 months", "0.33 years", "1.99999999 months", "P1Y1Y", "P1Y-1M", "PT1H1H", "1 hours 1 mins 1 secs ago", "100 millenniums", "1 timezone", "2 mils", "5 10 hours", "1 5 10 hours",
}

func TestIntervalsAsTheServerReadsThem(t *testing.T) {
	compare(t, "interval", spans)
	r := rand.New(rand.NewPCG(3, 4))
	units := []string{"years", "mon", "week", "d", "h", "min", "secs", "ms", "us", "decade", "cent"}
	texts := make([]string, 5000)
	for i := range texts {
		var b strings.Builder
		for range 1 + r.IntN(4) {
			fmt.Fprintf(&b, "%d", r.IntN(400)-100)
			if r.IntN(3) == 0 {
				fmt.Fprintf(&b, ".%d", r.IntN(100000))
			}
			fmt.Fprintf(&b, "%s%s ", []string{"", " "}[r.IntN(2)], units[r.IntN(len(units))])
		}
		switch r.IntN(8) {
		case 0:
			fmt.Fprintf(&b, "%d:%d:%d.%d", r.IntN(100), r.IntN(60), r.IntN(60), r.IntN(1000))
		case 1:
			fmt.Fprintf(&b, "-%d:%d", r.IntN(100), r.IntN(61))
		case 2:
			b.WriteString("ago")
		}
		texts[i] = b.String()
	}
	compare(t, "interval", texts)
}
