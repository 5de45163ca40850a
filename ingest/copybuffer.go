package ingest

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics/session"
)

// copyBuffer builds the binary stream of a PostgreSQL COPY. Encoding the known
// columns by hand costs a fraction of the driver's reflection, and this is the
// busiest loop of the server.
type copyBuffer struct{ b []byte }

var copyHeader = []byte("PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00")

// postgresEpoch is the zero of PostgreSQL's timestamps, in microseconds since
// the Unix epoch.
var postgresEpoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

func newCopyBuffer(sizeHint int) *copyBuffer {
	return &copyBuffer{b: append(make([]byte, 0, sizeHint), copyHeader...)}
}

// row begins a row of n columns; the columns follow in order.
func (c *copyBuffer) row(n int) { c.b = binary.BigEndian.AppendUint16(c.b, uint16(n)) }

// finish ends the stream.
func (c *copyBuffer) finish() []byte { return binary.BigEndian.AppendUint16(c.b, math.MaxUint16) }

// values returns the columns of the first row, each as the value of a parameter in binary form.
func (c *copyBuffer) values() [][]byte {
	b := c.b[len(copyHeader):]
	values, b := make([][]byte, binary.BigEndian.Uint16(b)), b[2:]
	for i := range values {
		n := binary.BigEndian.Uint32(b)
		b = b[4:]
		if n != math.MaxUint32 {
			values[i], b = b[:n:n], b[n:]
		}
	}
	return values
}

func (c *copyBuffer) length(n int) { c.b = binary.BigEndian.AppendUint32(c.b, uint32(n)) }

func (c *copyBuffer) null() { c.b = binary.BigEndian.AppendUint32(c.b, math.MaxUint32) }

func (c *copyBuffer) int8(v int64) {
	c.length(8)
	c.b = binary.BigEndian.AppendUint64(c.b, uint64(v))
}

func (c *copyBuffer) int4(v int32) {
	c.length(4)
	c.b = binary.BigEndian.AppendUint32(c.b, uint32(v))
}

func (c *copyBuffer) float4(v float32) { c.int4(int32(math.Float32bits(v))) }

func (c *copyBuffer) time(t time.Time) { c.int8(t.UnixMicro() - postgresEpoch) }

func (c *copyBuffer) bool(v bool) {
	c.length(1)
	if v {
		c.b = append(c.b, 1)
	} else {
		c.b = append(c.b, 0)
	}
}

func (c *copyBuffer) text(s string) {
	c.length(len(s))
	c.b = append(c.b, s...)
}

// optionalText writes a text; an empty one is null, which takes no byte of the
// row.
func (c *copyBuffer) optionalText(s string) {
	if s == "" {
		c.null()
		return
	}
	c.text(s)
}

func (c *copyBuffer) uuid(u uuid.UUID) {
	c.length(len(u))
	c.b = append(c.b, u[:]...)
}

// optionalBool writes a boolean; false is null.
func (c *copyBuffer) optionalBool(v bool) {
	if v {
		c.bool(v)
	} else {
		c.null()
	}
}

// optionalUUID writes a UUID; zero is null.
func (c *copyBuffer) optionalUUID(u uuid.UUID) {
	if u == uuid.Nil {
		c.null()
		return
	}
	c.uuid(u)
}

// optionalInt writes an int4; less than zero is null.
func (c *copyBuffer) optionalInt(v int64) {
	if v < 0 {
		c.null()
		return
	}
	c.int4(int32(v))
}

// optionalID writes an int4; zero is null.
func (c *copyBuffer) optionalID(id int32) {
	if id == 0 {
		c.null()
		return
	}
	c.int4(id)
}

// json writes a jsonb column; nil is null.
func (c *copyBuffer) json(raw []byte) {
	if raw == nil {
		c.null()
		return
	}
	c.length(len(raw) + 1)
	c.b = append(c.b, 1) // the version of jsonb's wire form
	c.b = append(c.b, raw...)
}

// organic writes the organic flag; absent is null.
func (c *copyBuffer) organic(o session.Organic) {
	if o == session.OrganicAbsent {
		c.null()
	} else {
		c.bool(o == session.OrganicTrue)
	}
}

// position writes latitude and longitude, or two nulls.
func (c *copyBuffer) position(p Place) {
	if !p.HasCoordinates {
		c.null()
		c.null()
		return
	}
	c.float4(float32(p.Lat))
	c.float4(float32(p.Lon))
}
