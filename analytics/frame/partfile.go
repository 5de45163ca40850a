package frame

import (
	"github.com/svc-dev/svc/internal/mapped"
)

// Save writes the part as a file.
func (p *Part) Save(e *Encoder) {
	put(e, []int64{int64(p.Type), p.MinHit, p.MaxHit})
	put(e, p.Visitor)
	put(e, p.Key)
	for _, column := range p.Col {
		put(e, column)
	}
	put(e, p.Off)
	put(e, p.Hits)
}

// OpenPart returns the part that a file holds, whose columns are those of the file. What a damaged file says is told by
// [Verify] only.
func OpenPart(file *mapped.File) (*Part, error) {
	d, err := decode(file.Bytes(), PartFile)
	if err != nil {
		return nil, err
	}
	p := readPart(d)
	if err := d.end(); err != nil {
		return nil, err
	}
	p.file = file
	return p, nil
}

func readPart(d *decoder) *Part {
	head := getN[int64](d, 3)
	if d.err != nil || head[0] < 0 || head[0] >= int64(RowTypes) {
		d.fail()
		return nil
	}
	p := &Part{Type: RowType(head[0]), MinHit: head[1], MaxHit: head[2], Visitor: get[uint32](d)}
	rows := len(p.Visitor)
	p.Key = getN[Key](d, rows)
	p.Col = make([][]uint32, columnsOf[p.Type])
	for c := range p.Col {
		p.Col[c] = getN[uint32](d, rows)
	}
	p.Off = getN[uint32](d, rows+1)
	p.Hits = get[int64](d)
	if d.err == nil && (p.Off[0] != 0 || int(p.Off[rows]) != len(p.Hits)) {
		d.fail()
	}
	return p
}

// File returns the file that the part's columns are those of, nil when they are in memory.
func (p *Part) File() *mapped.File { return p.file }

// HasOverlay tells whether anything replaces rows of the sealed part.
func (f *Frame) HasOverlay() bool { return f.Open != nil || f.Masked != nil }

// SaveOverlay writes what replaces rows of the frame's sealed part as a file.
func (f *Frame) SaveOverlay(e *Encoder) {
	put(e, f.Masked)
	open := f.Open
	if open == nil {
		open = newPart(f.Sealed.Type)
	}
	open.Save(e)
}

// Overlay returns the file that what replaces rows is in, nil when that is in memory or there is none.
func (f *Frame) Overlay() *mapped.File { return f.overlay }

// IsSaved tells whether the frame's rows are those of a file, but for what replaces some.
func (f *Frame) IsSaved() bool { return f != nil && f.Sealed.file != nil }

// OpenFrame returns the frame of a day whose sealed part, and what replaces some of its rows, are files; overlay is nil
// when there is none.
func OpenFrame(day int32, sealed *Part, overlay *mapped.File) (*Frame, error) {
	f := newFrame(day, sealed)
	if overlay == nil {
		return f, nil
	}
	d, err := decode(overlay.Bytes(), OverlayFile)
	if err != nil {
		return nil, err
	}
	masked := get[uint64](d)
	open := readPart(d)
	if err := d.end(); err != nil {
		return nil, err
	}
	if open.Type != sealed.Type || len(masked) != 0 && len(masked) != (sealed.Len()+63)/64 {
		return nil, ErrFile
	}
	if len(masked) > 0 {
		f.Masked = Bits(masked)
	}
	if open.Len() > 0 {
		f.Open, open.file = open, overlay
		f.MinHit, f.MaxHit = min(f.MinHit, open.MinHit), max(f.MaxHit, open.MaxHit)
	}
	f.overlay = overlay
	return f, nil
}

// Compact returns the frame with what replaces rows merged into its sealed part, in memory.
func (f *Frame) Compact() *Frame {
	if !f.HasOverlay() {
		return f
	}
	open := f.Open
	if open == nil {
		open = newPart(f.Sealed.Type)
	}
	return newFrame(f.Day, merge(f.Sealed, f.Masked, open))
}

// Frame returns the frame of a day, nil when it has none.
func (d *Dataset) Frame(t RowType, day int32) *Frame {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.frames[t][day]
}

// PutFrame makes f the frame of its day, when the day's is still what it was, nil for none: a frame of the same rows in
// other memory.
func (d *Dataset) PutFrame(t RowType, was, f *Frame) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.frames[t][f.Day] != was {
		return false
	}
	d.frames[t][f.Day] = f
	return true
}
