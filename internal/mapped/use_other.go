//go:build !linux

package mapped

// Use has the system read bytes of the file ahead: only Linux knows more.
func (f *File) Use(bytes []byte) { f.Ahead(bytes) }

// Behind does nothing: only Linux can be told that bytes were read.
func (*File) Behind([]byte) {}
