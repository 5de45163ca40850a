package graphqlhttp

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"

	"github.com/svc-dev/svc/internal/fault"
)

const (
	// formBytes is room beside the file: the operation, the map, and the form itself.
	formBytes = 256 << 10
	// maxMapBytes bounds the map, whose values take more memory than their text.
	maxMapBytes = 4 << 10
)

// form is a multipart form that is read from the connection part by part, in the order
// in which it is sent. Nothing of it is kept.
type form struct {
	reader *multipart.Reader
	body   io.LimitedReader // ends before the file until the file is read
	limit  int64            // bounds the whole body, in bytes
	// fault is what went wrong with the file, once it is read.
	fault *fault.Error
}

// openForm begins to read a form of at most limit bytes; all but its file is at most
// formBytes of them.
func openForm(w http.ResponseWriter, r *http.Request, limit int64) (*form, error) {
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	f := &form{body: io.LimitedReader{R: r.Body, N: formBytes}, limit: limit}
	within := *r // MultipartReader reads the body that it is given
	within.Body = io.NopCloser(&f.body)
	var err error
	if f.reader, err = within.MultipartReader(); err != nil {
		return nil, fault.New(fault.InvalidRequest, "the Content-Type names no boundary of the form's parts")
	}
	return f, nil
}

// text reads the next part, which must be the field of this name, of at most limit bytes.
func (f *form) text(name string, limit int) ([]byte, error) {
	part, err := f.next()
	if err != nil {
		return nil, err
	}
	if part.FormName() != name {
		return nil, fault.New(fault.InvalidRequest, `the form has "operations", then "map", then the file, in this order`)
	}
	text, err := io.ReadAll(io.LimitReader(part, int64(limit)+1))
	switch {
	case err != nil:
		return nil, f.failed(err)
	case len(text) > limit:
		return nil, &fault.Error{
			Code: fault.PayloadTooLarge, Field: name, Message: fmt.Sprintf("has more than %d bytes", limit),
		}
	}
	return text, nil
}

func (f *form) next() (*multipart.Part, error) {
	part, err := f.reader.NextRawPart()
	if err != nil {
		return nil, f.failed(err)
	}
	return part, nil
}

// failed says why the form can't be read further.
func (f *form) failed(err error) *fault.Error {
	var exceeded *http.MaxBytesError
	switch {
	case errors.As(err, &exceeded):
		return fault.New(fault.PayloadTooLarge, "the body has more than %d bytes", f.limit)
	case f.body.N <= 0:
		return fault.New(fault.PayloadTooLarge, "the form has more than %d bytes beside its file", formBytes)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fault.New(fault.InvalidRequest, "the body did not arrive in time")
	}
	return fault.New(fault.InvalidRequest, "the body is not a complete multipart form")
}

// formFile is the file of a form.
type formFile struct {
	form *form
	part *multipart.Part
}

// Read implements io.Reader.
func (f *formFile) Read(into []byte) (int, error) {
	f.form.body.N = f.form.limit
	n, err := f.part.Read(into)
	if err != nil && !errors.Is(err, io.EOF) {
		f.form.fault = f.form.failed(err)
		err = f.form.fault
	}
	return n, err
}

// Seek implements io.Seeker, which graphql.Upload asks for. It fails: what was read of a
// connection is not kept.
func (f *formFile) Seek(int64, int) (int64, error) { return 0, errors.ErrUnsupported }

// MarshalJSON refuses a file in the place of a JSON value.
func (f *formFile) MarshalJSON() ([]byte, error) { return nil, errors.ErrUnsupported }
