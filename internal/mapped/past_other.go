//go:build !linux

package mapped

import (
	"errors"
	"os"
)

func openDirect(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func (*File) mostInMemory([]byte) bool { return false }
