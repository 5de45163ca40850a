package frame

import (
	"maps"
	"slices"

	"github.com/svc-dev/svc/internal/mapped"
)

// vectors returns the bytes of everything that rows consist of, in the order in which they are written.
func (p *Part) vectors() [][]byte {
	all := [][]byte{bytesOfAll(p.Visitors()), bytesOfAll(p.Keys())}
	for c := range p.col {
		all = append(all, bytesOfAll(p.col[c].all()))
	}
	return append(all, bytesOfAll(p.Offsets()), bytesOfAll(p.Hits()))
}

// sizes are what a part is, and how many rows and hits it has.
func (p *Part) sizes() []int64 {
	return []int64{int64(p.Type), p.MinHit, p.MaxHit, int64(p.Len()), int64(len(p.Hits()))}
}

// SavePart writes a part of the dataset as a file: each column is a piece, trails are some, and the crossings of each
// border are one.
func (d *Dataset) SavePart(p *Part, e *Encoder) {
	vectors, names := p.vectors(), d.nameTable()
	var trails []int64
	if found := p.findTrails(names); found != nil {
		vectors, trails = append(vectors, found.vectors()...), []int64{trailPieces}
	}
	crossings := p.findCrossings(names)
	borders := slices.Sorted(maps.Keys(crossings))
	for _, border := range borders {
		vectors = append(vectors, bytesOfAll(crossings[border]))
	}
	e.putIndex(indexOf(vectors...))
	put(e, p.sizes())
	put(e, trails)
	put(e, borders)
	e.endHead()
	for _, vector := range vectors {
		e.write(vector)
		e.pad()
	}
}

// saveIn writes the part into a file that has something else as well.
func (p *Part) saveIn(e *Encoder) {
	put(e, p.sizes())
	for _, vector := range p.vectors() {
		put(e, vector)
	}
}

// OpenPart returns the part that a file holds, which was checked with [Check]. Its columns are those of the file.
func OpenPart(file *mapped.File) (*Part, error) {
	d, pieces, err := openPieces(file, PartFile)
	if err != nil {
		return nil, err
	}
	p, err := readPieces(d, pieces)
	if err != nil {
		return nil, err
	}
	p.file = file
	return p, nil
}

// readPieces reads a part whose head is decoded.
func readPieces(d *decoder, pieces *pieces) (*Part, error) {
	p := readPart(d, pieces.pieceIfAny, pieces)
	if d.err != nil {
		return nil, d.err
	}
	p.trails = readTrails(d, pieces, p.vectorCount())
	p.crossings = readCrossings(d, pieces, p.vectorCount()+p.trails.count())
	return p, d.end()
}

// vectorCount is how many pieces the columns of a part are.
func (p *Part) vectorCount() int { return len(p.col) + 4 }

// readPart reads a part whose i-th vector is in bytes that vector returns. Of a file in pieces they are checked when
// they are asked for.
func readPart(d *decoder, vector func(i int) []byte, of *pieces) *Part {
	sizes := getN[int64](d, 5)
	if d.err != nil || sizes[0] < 0 || sizes[0] >= int64(RowTypes) {
		d.fail()
		return nil
	}
	p := newPart(RowType(sizes[0]))
	p.MinHit, p.MaxHit = sizes[1], sizes[2]
	rows, hits, i := sizes[3], sizes[4], 0
	readVector(d, &p.visitor, rows, vector, of, &i)
	readVector(d, &p.key, rows, vector, of, &i)
	for c := range p.col {
		readVector(d, &p.col[c], rows, vector, of, &i)
	}
	readVector(d, &p.off, rows+1, vector, of, &i)
	readVector(d, &p.hits, hits, vector, of, &i)
	if d.err != nil {
		return nil
	}
	return p
}

// readVector reads the next vector, which must have a length.
func readVector[T plain](d *decoder, v *vector[T], length int64, next func(i int) []byte, of *pieces, i *int) {
	if d.err != nil {
		return
	}
	v.values = valuesIn[T](d, next(*i), length)
	v.of, v.piece = of, *i
	*i++
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
	open.saveIn(e)
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
	open := readPart(d, func(int) []byte { return get[byte](d) }, nil)
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
