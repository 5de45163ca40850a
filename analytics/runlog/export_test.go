package runlog

// WithFurthest makes a page of Newest end after so many events.
func (r *Reader) WithFurthest(events int) *Reader {
	r.furthest = events
	return r
}

// InPortions makes Newest read so many events at first.
func (r *Reader) InPortions(events int) *Reader {
	r.portion = events
	return r
}

// CutText returns the beginning of a typed answer that is kept, and what tells it from others with the same beginning.
func CutText(text string) (beginning string, hash [16]byte) {
	v := typedValueOf(text)
	return v.text, v.hash
}
