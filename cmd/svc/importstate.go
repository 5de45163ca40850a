package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/ingest/archive"
)

// importState is how far an interrupted import of a file came. It lies beside
// the file and goes when the import is complete. It can be lost, or describe a
// database that is no more: deduplication makes every repetition harmless.
type importState struct {
	AppID         uuid.UUID `json:"appId"`
	EnvironmentID int64     `json:"environmentId"`
	Bytes         int64     `json:"bytes"`  // of the file
	Prefix        string    `json:"prefix"` // SHA-256 of its beginning
	ResumeAtLine  int64     `json:"resumeAtLine"`
	// Source is the tool that the file is of, "" for events of Svc's own.
	Source string `json:"source,omitempty"`
	// Zone is that of times that name none.
	Zone string `json:"zone,omitempty"`
	// Before counts the lines before ResumeAtLine.
	Before archive.ImportCounts `json:"before"`

	path string // "" when there is nowhere to keep it
}

// statePrefix is enough of a file to tell it from another one of its size.
const statePrefix = 64 << 10

// readImportState returns the state that an earlier run left for the same file
// and environment, or that of a beginning.
func readImportState(path string, on *target, s *source, options importOptions) (*importState, error) {
	fresh := &importState{
		AppID: on.appID, EnvironmentID: on.environmentID, Bytes: s.size, Source: string(options.tool), Zone: options.timeZone,
	}
	if s.path == "" {
		return fresh, nil
	}
	beginning := sha256.New()
	if _, err := io.Copy(beginning, io.NewSectionReader(s.file, 0, statePrefix)); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	fresh.Prefix = hex.EncodeToString(beginning.Sum(nil))
	fresh.path = path + ".import-state.json"
	content, err := os.ReadFile(fresh.path)
	if errors.Is(err, fs.ErrNotExist) {
		return fresh, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read how far the import was: %w", err)
	}
	var kept importState
	if json.Unmarshal(content, &kept) != nil {
		return fresh, nil //nolint:nilerr // a damaged note costs a second reading, no events
	}
	fresh.ResumeAtLine, fresh.Before = kept.ResumeAtLine, kept.Before
	if kept.path = fresh.path; kept != *fresh {
		fresh.beginAnew()
	}
	return fresh, nil
}

func (s *importState) beginAnew() { s.ResumeAtLine, s.Before = 0, archive.ImportCounts{} }

// fingerprint tells the file from others, "" where it can't be read again.
func (s *importState) fingerprint() string {
	if s.path == "" {
		return ""
	}
	if s.Zone != "" && s.Zone != "UTC" {
		return fmt.Sprintf("%s:%d:%s", s.Prefix, s.Bytes, s.Zone) // another zone is another import
	}
	return fmt.Sprintf("%s:%d", s.Prefix, s.Bytes)
}

// write keeps the state. A directory that can't be written only means that the
// next run begins at the first line.
func (s *importState) write() {
	if s.path == "" || s.ResumeAtLine == 0 {
		return
	}
	content, err := json.Marshal(s)
	if err != nil {
		return
	}
	if os.WriteFile(s.path+".new", content, 0o644) == nil {
		_ = os.Rename(s.path+".new", s.path)
	}
}

func (s *importState) remove() {
	if s.path != "" {
		_ = os.Remove(s.path)
	}
}
