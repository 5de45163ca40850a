package frame

import (
	"hash/crc32"

	"github.com/svc-dev/svc/internal/mapped"
)

// partHead is how many numbers begin a part in a file: its type, the times of its first and its last hit, and how many
// rows and hits it has. The checksums of its columns follow, and then these.
const partHead = 5

// Save writes the part as a file.
func (p *Part) Save(e *Encoder) {
	columns := [][]byte{bytesOfAll(p.Visitors()), bytesOfAll(p.Keys())}
	for c := range p.col {
		columns = append(columns, bytesOfAll(p.col[c].all()))
	}
	columns = append(columns, bytesOfAll(p.Offsets()), bytesOfAll(p.Hits()))
	sums := make([]uint32, len(columns))
	for i, column := range columns {
		sums[i] = crc32.Update(crc32.Checksum(column, castagnoli), castagnoli, padding[:padded(len(column))-len(column)])
	}
	put(e, []int64{int64(p.Type), p.MinHit, p.MaxHit, int64(p.Len()), int64(len(p.Hits()))})
	put(e, sums)
	e.endHead()
	for _, column := range columns {
		e.write(column)
		e.pad()
	}
}

// OpenPart returns the part that a file holds, whose columns are those of the file, with the checksum that is known of
// it. A column is checked when it is first asked for.
func OpenPart(file *mapped.File, sum uint32) (*Part, error) {
	d, head, err := checkHead(file.Bytes(), sum)
	if err != nil {
		return nil, err
	}
	p := readPart(d, head, file)
	if err := d.end(); err != nil {
		return nil, err
	}
	p.file = file
	return p, nil
}

// checkHead compares what says how a part lies in a file with the checksum that is known of it.
func checkHead(file []byte, sum uint32) (*decoder, *head, error) {
	d, err := decode(file, PartFile)
	if err != nil {
		return nil, nil, err
	}
	h := readHead(d)
	if d.err != nil {
		return nil, nil, d.err
	}
	columns, trailer := len(d.rest), file[len(file)-trailerBytes:]
	return d, h, compare(crc32.Checksum(file[:len(file)-trailerBytes-columns], castagnoli), sum, trailer)
}

// verifyPart checks a whole file of a part.
func verifyPart(file []byte, sum uint32, progress func()) error {
	d, h, err := checkHead(file, sum)
	if err != nil {
		return err
	}
	for i, bytes := range h.cut(d) {
		if crc32.Checksum(bytes, castagnoli) != h.sums[i] {
			return errChecksum
		}
		progress()
	}
	return d.end()
}

// head says how a part lies in a file.
type head struct {
	rows           RowType
	minHit, maxHit int64
	len, hits      int
	sums           []uint32
}

func readHead(d *decoder) *head {
	numbers, most := getN[int64](d, partHead), int64(len(d.rest))
	h := &head{sums: get[uint32](d)}
	if d.err != nil || numbers[0] < 0 || numbers[0] >= int64(RowTypes) ||
		numbers[3] < 0 || numbers[3] > most || numbers[4] < 0 || numbers[4] > most {
		d.fail()
		return nil
	}
	h.rows, h.minHit, h.maxHit = RowType(numbers[0]), numbers[1], numbers[2]
	h.len, h.hits = int(numbers[3]), int(numbers[4])
	if len(h.sums) != columnsOf[h.rows]+4 {
		d.fail()
		return nil
	}
	return h
}

// cut returns the bytes of the columns, each to a multiple of eight.
func (h *head) cut(d *decoder) [][]byte {
	sizes := []int{4 * h.len, 16 * h.len}
	for range columnsOf[h.rows] {
		sizes = append(sizes, 4*h.len)
	}
	sizes = append(sizes, 4*(h.len+1), 8*h.hits)
	columns := make([][]byte, len(sizes))
	for i, size := range sizes {
		if size = padded(size); size > len(d.rest) {
			d.fail()
			return nil
		}
		columns[i], d.rest = d.rest[:size], d.rest[size:]
	}
	return columns
}

// readPart returns a part whose columns are checked when they are asked for where they are those of a file, nil when
// all of it was checked.
func readPart(d *decoder, h *head, file *mapped.File) *Part {
	if h == nil {
		return nil
	}
	columns := h.cut(d)
	if columns == nil {
		return nil
	}
	p := &Part{Type: h.rows, MinHit: h.minHit, MaxHit: h.maxHit, col: make([]vector[uint32], columnsOf[h.rows])}
	stretches := make([]stretch, len(columns))
	at := func(i int) *stretch {
		if file == nil {
			return nil
		}
		stretches[i].file, stretches[i].bytes, stretches[i].sum = file, columns[i], h.sums[i]
		return &stretches[i]
	}
	p.visitor = vector[uint32]{valuesIn[uint32](columns[0], h.len), at(0)}
	p.key = vector[Key]{valuesIn[Key](columns[1], h.len), at(1)}
	for c := range p.col {
		p.col[c] = vector[uint32]{valuesIn[uint32](columns[2+c], h.len), at(2 + c)}
	}
	i := 2 + len(p.col)
	p.off = vector[uint32]{valuesIn[uint32](columns[i], h.len+1), at(i)}
	p.hits = vector[int64]{valuesIn[int64](columns[i+1], h.hits), at(i + 1)}
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
	open := readPart(d, readHead(d), nil)
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
