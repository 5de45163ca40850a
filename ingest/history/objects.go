package history

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// maxObject bounds an object in bytes. A visit of ten thousand pages takes less.
const maxObject = 16 << 20

// errObjectTooLong says that an object was passed over.
var errObjectTooLong = fmt.Errorf("is longer than %d bytes", maxObject)

// objects reads the JSON objects of a file one by one, however they are put together: as an array, as several behind
// each other, or one a line. Of an array no more than one object is held.
type objects struct {
	in   *bufio.Reader
	held []byte
	line int // number of the line that is read, from 1
}

func newObjects(in io.Reader) *objects { return &objects{in: bufio.NewReaderSize(in, 1<<16), line: 1} }

// next returns the text of the next object, valid until the next call, and the number of the line where it begins. The
// brackets are balanced; all else is for the caller to check. It returns errObjectTooLong for an object that was passed
// over, after which it goes on, and io.EOF at the end.
func (o *objects) next() (object []byte, line int, err error) {
	for {
		c, err := o.byte()
		if err != nil {
			return nil, o.line, err
		}
		switch c {
		case ' ', '\t', '\r', '\n', ',', '[', ']':
		case '{':
			line = o.line
			object, err = o.object()
			return object, line, err
		default:
			return nil, o.line, fmt.Errorf("line %d: the file is not JSON of objects: %q is not expected", o.line, c)
		}
	}
}

func (o *objects) byte() (byte, error) {
	c, err := o.in.ReadByte()
	if c == '\n' {
		o.line++
	}
	return c, err
}

// object reads on behind the first bracket.
func (o *objects) object() ([]byte, error) {
	o.held = append(o.held[:0], '{')
	long := false
	for depth, inText, escaped := 1, false, false; depth > 0; {
		c, err := o.byte()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("line %d: the last object is cut off", o.line)
		}
		if err != nil {
			return nil, err
		}
		if long = long || len(o.held) >= maxObject; !long {
			o.held = append(o.held, c)
		}
		switch {
		case escaped:
			escaped = false
		case inText:
			escaped, inText = c == '\\', c != '"'
		case c == '"':
			inText = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
	}
	if long {
		return nil, errObjectTooLong
	}
	return o.held, nil
}
