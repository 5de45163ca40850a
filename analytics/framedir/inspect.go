package framedir

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/internal/mapped"
)

// Summary is what the files of an environment are.
type Summary struct {
	Environment int64     `json:"environment"`
	SavedAt     time.Time `json:"savedAt,omitzero"`   // not there before the first manifest
	Snapshot    string    `json:"snapshot,omitempty"` // of the database, that the files stand for
	Days        int       `json:"days"`               // home days with a file, of sessions and of runs
	Rows        int64     `json:"rows"`               // of these days
	Files       int       `json:"files"`
	Bytes       int64     `json:"bytes"`
	Problems    []string  `json:"problems,omitempty"`
}

// Look tells what is in a folder, which a server may be using. With verify every file is read and compared with its
// checksum; what is wrong is a problem of its environment.
func Look(path string, verify bool) ([]Summary, error) {
	environments, err := (&Directory{path: path}).Environments()
	if err != nil {
		return nil, err
	}
	slices.Sort(environments)
	all := []Summary{}
	for _, environment := range environments {
		all = append(all, look(filepath.Join(path, strconv.FormatInt(environment, 10)), environment, verify))
	}
	return all, nil
}

// tries is how often an environment is looked at again whose files a server replaces meanwhile.
const tries = 3

func look(folder string, environment int64, verify bool) (s Summary) {
	for range tries {
		s = Summary{Environment: environment}
		m, err := readManifest(folder)
		if errors.Is(err, fs.ErrNotExist) {
			return s // a server has begun to write, and not ended
		}
		if err != nil {
			s.Problems = append(s.Problems, err.Error())
			return s
		}
		s.SavedAt, s.Snapshot = m.SavedAt, m.Snapshot
		for i := range m.Days {
			if m.Days[i].Sealed != nil {
				s.Days++
				s.Rows += m.Days[i].Count
			}
		}
		replaced := false
		for _, f := range m.Files() {
			s.Files++
			s.Bytes += f.Bytes
			if !verify {
				continue
			}
			if err := check(folder, f); err != nil {
				s.Problems = append(s.Problems, err.Error())
				replaced = replaced || errors.Is(err, fs.ErrNotExist)
			}
		}
		if !replaced {
			break
		}
	}
	return s
}

func check(folder string, f File) error {
	file, err := mapped.Open(filepath.Join(folder, f.Name), f.Bytes)
	if err != nil {
		return err
	}
	verify := func() error { return frame.Verify(file.Bytes(), f.Kind, f.Sum) }
	if err := mapped.Guard(func() error { return file.InOrder(verify) }); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	return nil
}
