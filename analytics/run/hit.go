package run

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/svc-dev/svc/analytics/session"
)

// Hit is one stored flow event. Texts are ids of event_name; 0 stands for none.
type Hit struct {
	Key     session.Key // of the event's id: the deduplication key
	At      int64       // Unix milliseconds, from 1970 on
	Seq     int64       // place in the run; -1 when absent
	Name    Name
	Step    int32 // screen or surface
	From    int32 // step that the person came from, or FromStart; 0 when the client did not say
	Subject int32 // field, decision node or provider
	Value   int32 // option, case, outcome or product
	Context *Context
}

// FromStart is the From of the first step of a run.
const FromStart int32 = -1

// HitSize is the size of a packed hit in bytes. A packed hit is its key, the id of its context, its time and name,
// its seq, and four ids of 3 bytes, all but the key little-endian.
const HitSize = 16 + 8 + 8 + 4 + 4*3

const (
	startBits = 1<<24 - 1   // FromStart; ids are below 2^22
	noSeq     = 1<<32 - 1   // larger than any
	hitTime   = 16 + 8      // offset of time and name
	hitSeq    = hitTime + 8 // offset of seq
	hitIDs    = hitSeq + 4  // offset of the ids
	nameBits  = 8           // of time and name
	// HitName is the byte of a packed hit that is its name, for SQL that looks for one.
	HitName  = hitTime
	nameMask = 1<<nameBits - 1
)

// append appends the packed hit.
func (h *Hit) append(b []byte, context uint64) []byte {
	b = append(b, h.Key[:]...)
	b = binary.LittleEndian.AppendUint64(b, context)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.At)<<nameBits|uint64(h.Name))
	seq := uint32(noSeq)
	if h.Seq >= 0 {
		seq = uint32(h.Seq)
	}
	b = binary.LittleEndian.AppendUint32(b, seq)
	for _, id := range [...]int32{h.Step, h.From, h.Subject, h.Value} {
		b = append(b, byte(id), byte(id>>8), byte(id>>16))
	}
	return b
}

// contextOf returns the context of a packed hit.
func contextOf(packed []byte) uint64 { return binary.LittleEndian.Uint64(packed[16:]) }

// unpackHits appends packed hits with their contexts.
func unpackHits(to []Hit, packed []byte, contexts *contexts) ([]Hit, error) {
	if len(packed)%HitSize != 0 {
		return nil, ErrCorrupt
	}
	n := len(packed) / HitSize
	to = slices.Grow(to, n)[:len(to)+n]
	hits := to[len(to)-n:]
	near := 0
	for i := range hits {
		h, b := &hits[i], packed[i*HitSize:(i+1)*HitSize]
		copy(h.Key[:], b)
		at := binary.LittleEndian.Uint64(b[hitTime:])
		h.At, h.Name = int64(at>>nameBits), Name(at&nameMask)
		if h.Seq = int64(binary.LittleEndian.Uint32(b[hitSeq:])); h.Seq == noSeq {
			h.Seq = -1
		}
		h.Step, h.From, h.Subject, h.Value = packedID(b, 0), packedID(b, 1), packedID(b, 2), packedID(b, 3)
		if h.From == startBits {
			h.From = FromStart
		}
		if near = contexts.find(contextOf(b), near); near < 0 {
			return nil, ErrCorrupt
		}
		h.Context = contexts.list[near].of
	}
	return to, nil
}

// packedID reads one of the four ids of a packed hit.
func packedID(hit []byte, i int) int32 {
	at := hit[hitIDs+3*i:]
	return int32(at[0]) | int32(at[1])<<8 | int32(at[2])<<16
}

// EachName calls use with the ids of the texts that the hits of a row name, as often as they name them: without
// unpacking them. The error is ErrCorrupt.
func (r *Row) EachName(use func(id int32)) error {
	if len(r.Hits)%HitSize != 0 {
		return ErrCorrupt
	}
	for from := 0; from < len(r.Hits); from += HitSize {
		hit := r.Hits[from : from+HitSize]
		for i := range 4 {
			if id := packedID(hit, i); id > 0 && id != startBits {
				use(id)
			}
		}
	}
	return nil
}

// order compares hits of a run by seq, when all have one, and by time.
type order struct {
	bySeq bool
	text  func(id int32) string
}

func (o order) compare(a, b *Hit) int {
	if o.bySeq && a.Seq != b.Seq {
		return cmp.Compare(a.Seq, b.Seq)
	}
	if c := cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Name.rank(), b.Name.rank())); c != 0 {
		return c
	}
	if a.Name != b.Name {
		return strings.Compare(a.Name.String(), b.Name.String())
	}
	if a.Step != b.Step {
		if c := strings.Compare(o.textOf(a.Step), o.textOf(b.Step)); c != 0 {
			return c
		}
	}
	return bytes.Compare(a.Key[:], b.Key[:])
}

func (o order) textOf(step int32) string {
	if step == 0 {
		return ""
	}
	return o.text(step)
}

// sort puts hits in order. Those of most rows are, since they are stored as they arrive.
func (o order) sort(hits []Hit) {
	for i := 1; i < len(hits); i++ {
		if o.compare(&hits[i-1], &hits[i]) > 0 {
			slices.SortFunc(hits, func(a, b Hit) int { return o.compare(&a, &b) })
			return
		}
	}
}
