package frame

import (
	"math"

	"github.com/svc-dev/svc/internal/mapped"
)

// openLimit is the share of a sealed part, in rows, that the open part may reach before both
// are merged: larger, and every poll copies a large open part; smaller, and every poll copies the
// sealed one.
const openLimit = 0.05

// Frame is the rows of one type and home day: a sealed part without its masked rows, and an open part whose rows
// replace some of these. A frame is immutable.
type Frame struct {
	Day    int32
	Sealed *Part // never nil
	Open   *Part // nil when empty
	Masked Bits  // rows of Sealed that Open replaces, or that are gone

	MinHit, MaxHit int64 // earliest start and latest hit, milliseconds since 2020-01-01T00:00Z

	overlay *mapped.File // that Open and Masked are those of; nil when they are in memory
}

func newFrame(day int32, sealed *Part) *Frame {
	return &Frame{Day: day, Sealed: sealed, MinHit: sealed.MinHit, MaxHit: sealed.MaxHit}
}

// Bytes returns the memory of the frame's columns.
func (f *Frame) Bytes() int64 {
	if f == nil {
		return 0
	}
	bytes := f.Sealed.Bytes() + f.Open.Bytes()
	if f.overlay == nil {
		bytes += int64(len(f.Masked)) * 8
	}
	return bytes
}

// upsert returns the frame with changed's rows in it. Up to floor open rows are kept apart
// whatever their share.
func (f *Frame) upsert(changed *Part, floor int) *Frame {
	if changed.Len() == 0 {
		return f
	}
	open := changed
	if f.Open != nil {
		stale := make(Bits, (f.Open.Len()+63)/64)
		for row := range changed.Len() {
			if at, ok := f.Open.find(changed.Visitors()[row], changed.Keys()[row]); ok {
				stale.set(at)
			}
		}
		open = merge(f.Open, stale, changed)
	}
	masked := make(Bits, (f.Sealed.Len()+63)/64)
	copy(masked, f.Masked)
	for row := range changed.Len() {
		if at, ok := f.Sealed.find(changed.Visitors()[row], changed.Keys()[row]); ok {
			masked.set(at)
		}
	}
	if float64(open.Len()) > math.Max(float64(floor), openLimit*float64(f.Sealed.Len())) {
		return newFrame(f.Day, merge(f.Sealed, masked, open))
	}
	return &Frame{
		Day: f.Day, Sealed: f.Sealed, Open: open, Masked: masked,
		MinHit: min(f.Sealed.MinHit, open.MinHit), MaxHit: max(f.Sealed.MaxHit, open.MaxHit),
	}
}

// without returns the frame without the rows of visitors, itself when it has none.
func (f *Frame) without(visitors []uint32) *Frame {
	masked, fromSealed := f.Sealed.mask(f.Masked, visitors)
	if f.Open == nil {
		if !fromSealed {
			return f
		}
		return &Frame{Day: f.Day, Sealed: f.Sealed, Masked: masked, MinHit: f.MinHit, MaxHit: f.MaxHit}
	}
	stale, fromOpen := f.Open.mask(nil, visitors)
	if !fromSealed && !fromOpen {
		return f
	}
	open := f.Open
	if fromOpen {
		open = merge(f.Open, stale, newPart(f.Open.Type))
	}
	return &Frame{
		Day: f.Day, Sealed: f.Sealed, Open: open, Masked: masked, MinHit: f.MinHit, MaxHit: f.MaxHit,
	}
}
