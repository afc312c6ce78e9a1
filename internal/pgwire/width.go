package pgwire

import (
	"encoding/binary"

	"github.com/weirstream/weir/internal/datum"
)

// putLength writes the length of a value.
func putLength(b []byte, n int) { binary.BigEndian.PutUint32(b, uint32(n)) }

// width is a type's size in bytes, as clients are told; -1: it varies.
func width(oid uint32) int16 {
	switch oid {
	case datum.OIDBool, datum.OIDChar:
		return 1
	case datum.OIDInt2:
		return 2
	case datum.OIDInt4, datum.OIDOID, datum.OIDFloat4, datum.OIDDate, datum.OIDXID, datum.OIDCID:
		return 4
	case datum.OIDInt8, datum.OIDFloat8, datum.OIDMoney, datum.OIDTime, datum.OIDTimestamp, datum.OIDTimestampTZ, datum.OIDLSN,
		datum.OIDMacaddr8, datum.OIDXID8:
		return 8
	case datum.OIDMacaddr, datum.OIDTID:
		return 6
	case datum.OIDTimeTZ:
		return 12
	case datum.OIDInterval, datum.OIDUUID, datum.OIDPoint:
		return 16
	case datum.OIDName:
		return 64
	}
	return -1
}
