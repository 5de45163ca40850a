package runlog

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
)

// ID names a run of a flow: a row of its person, and its place among the runs of the row.
type ID struct {
	Person string
	Key    session.Key
	Pass   int
}

func idOf(r *run.Run) ID { return ID{r.Person, r.Key, r.Pass} }

// String returns the id as clients see it. They must not read it.
func (id ID) String() string {
	b := binary.AppendUvarint(append([]byte(nil), id.Key[:]...), uint64(id.Pass))
	return base64.RawURLEncoding.EncodeToString(append(b, id.Person...))
}

// ParseID reads what String wrote.
func ParseID(text string) (ID, bool) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) < len(session.Key{}) {
		return ID{}, false
	}
	id := ID{Key: session.Key(b[:16])}
	pass, n := binary.Uvarint(b[16:])
	if n <= 0 || pass > 1<<20 {
		return ID{}, false
	}
	id.Pass, id.Person = int(pass), string(b[16+n:])
	return id, id.Person != "" && bytes.IndexByte(b[16+n:], 0) < 0
}

// compare orders ids that have one start.
func (id ID) compare(o ID) int {
	return cmp.Or(bytes.Compare(id.Key[:], o.Key[:]), cmp.Compare(id.Pass, o.Pass), cmp.Compare(id.Person, o.Person))
}

// position is a place in the order of Newest: by start, latest first, then by id. A cursor is its encoding.
type position struct {
	At int64  `json:"t"` // Unix milliseconds
	ID string `json:"i,omitempty"`
}

func (p position) String() string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // a number and a text can always be written
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// parsePosition reads a cursor. An empty one is the beginning of the list of runs that start before end.
func parsePosition(cursor string, end time.Time) (p position, id ID, err error) {
	newest := position{At: end.UnixMilli() - 1}
	if cursor == "" {
		return newest, id, nil
	}
	invalid := analytics.Invalid("after", "is not a cursor of this list")
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || json.Unmarshal(text, &p) != nil || p.At < 0 {
		return p, id, invalid
	}
	if p.ID != "" {
		var ok bool
		if id, ok = ParseID(p.ID); !ok {
			return p, id, invalid
		}
	}
	if p.At > newest.At { // of a list whose range ended later
		return newest, id, nil
	}
	return p, id, nil
}
