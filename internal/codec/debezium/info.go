package debezium

import "strconv"

// Snapshot is what source.snapshot says.
type Snapshot string

// Values of Snapshot. The zero value means NotSnapshot.
const (
	NotSnapshot         Snapshot = "false"
	InSnapshot          Snapshot = "true"
	FirstInSnapshot     Snapshot = "first"
	FirstInTable        Snapshot = "first_in_data_collection"
	LastInTable         Snapshot = "last_in_data_collection"
	LastInSnapshot      Snapshot = "last"
	IncrementalSnapshot Snapshot = "incremental" // read while the stream goes on
)

// Info is what an event says beside the change itself.
type Info struct {
	NowNs    int64  // when the event is made, unix nanoseconds
	CommitUs int64  // when the change was committed, or read, unix microseconds
	Xid      uint64 // 0 is written as null
	LSN      uint64 // of the commit; 0 is written as null
	LastLSN  uint64 // of the commit delivered before; 0 is written as null
	Snapshot Snapshot
}

// appendSource appends the source block's members up to schema and table, which
// the plan has ready.
func (e *Encoder) appendSource(dst []byte, p *plan, in *Info) []byte {
	snapshot := in.Snapshot
	if snapshot == "" {
		snapshot = NotSnapshot
	}
	dst = append(dst, e.sourceHead...) // {"version":…,"connector":…,"name":…
	dst = appendInt(dst, `,"ts_ms":`, in.CommitUs/1000)
	dst = append(append(append(dst, `,"snapshot":"`...), snapshot...), '"')
	dst = append(dst, e.sourceDB...) // ,"db":…
	dst = appendSequence(dst, in)
	dst = appendInt(dst, `,"ts_us":`, in.CommitUs)
	dst = appendInt(dst, `,"ts_ns":`, in.CommitUs*1000)
	dst = append(dst, p.sourceTable...) // ,"schema":…,"table":…
	dst = appendUint(dst, `,"txId":`, in.Xid)
	dst = appendUint(dst, `,"lsn":`, in.LSN)
	return append(dst, `,"xmin":null,"origin":null,"origin_lsn":null}`...)
}

// appendSequence appends a string that holds an array of two strings.
func appendSequence(dst []byte, in *Info) []byte {
	dst = append(dst, `,"sequence":"[`...)
	for i, lsn := range [2]uint64{in.LastLSN, in.LSN} {
		if i > 0 {
			dst = append(dst, ',')
		}
		if lsn == 0 {
			dst = append(dst, "null"...)
			continue
		}
		dst = strconv.AppendUint(append(dst, `\"`...), lsn, 10)
		dst = append(dst, `\"`...)
	}
	return append(dst, `]"`...)
}

func appendInt(dst []byte, name string, v int64) []byte {
	return strconv.AppendInt(append(dst, name...), v, 10)
}

// appendUint appends null for 0.
func appendUint(dst []byte, name string, v uint64) []byte {
	dst = append(dst, name...)
	if v == 0 {
		return append(dst, "null"...)
	}
	return strconv.AppendUint(dst, v, 10)
}
