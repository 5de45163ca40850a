package parquetfiles

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/google/uuid"
)

// Try reports why an export into a place would fail: it reads the manifest, and writes, lists, reads and removes a file
// beside it.
func Try(ctx context.Context, what Options) (err error) {
	if _, err := readManifest(ctx, what); err != nil {
		return err
	}
	name, content := what.at("check-"+uuid.NewString()), []byte("Svc checks that it can export to here.\n")
	if _, err := what.To.Write(ctx, name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, what.To.Remove(ctx, name)) }()
	if _, err := what.To.Size(ctx, name); err != nil {
		return fmt.Errorf("list what was written: %w", err)
	}
	read, err := what.To.Read(ctx, name)
	if err == nil && !bytes.Equal(read, content) {
		err = errors.New("what was written reads otherwise")
	}
	return err
}
