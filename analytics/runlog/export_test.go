package runlog

// InPortions makes Newest read so many events at once.
func (r *Reader) InPortions(events int) *Reader {
	r.portion = events
	return r
}
