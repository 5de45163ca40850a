// Package backup copies a whole database and the uploaded files beside it into a directory, and back, and proves that
// what came back is what was there. PostgreSQL's own programs carry the rows; see [Create] and [Restore].
//
// A directory holds:
//
//	database/    what pg_dump wrote
//	media/       uploaded files
//	backup.json  a [Description], written last: a directory without it is no backup
package backup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	descriptionFile = "backup.json"
	databaseDir     = "database"
	mediaDir        = "media"

	// format is that of descriptions.
	format = 1
)

// Description says what a backup holds.
type Description struct {
	Format  int       `json:"format"`
	TakenAt time.Time `json:"takenAt"` // whose state it is
	Service string    `json:"service"` // version of svc
	// Migration is the newest numbered migration of the database.
	Migration   int64   `json:"migration"`
	PostgreSQL  string  `json:"postgresql"`            // version of the server
	TimescaleDB string  `json:"timescaledb,omitempty"` // empty without the extension
	Tables      []Table `json:"tables"`                // by name
	Files       []File  `json:"files"`                 // by path
}

// Table is what a table held. Hash is over its rows, in no order, without ids of transactions: they mean nothing in
// another database.
type Table struct {
	Name string `json:"name"`
	Rows int64  `json:"rows"`
	Hash string `json:"hash"`
}

// File is a file of a backup, by its path in the directory, with slashes.
type File struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Rows counts the rows of all tables.
func (d *Description) Rows() (rows int64) {
	for _, table := range d.Tables {
		rows += table.Rows
	}
	return rows
}

// Bytes is how large all files are.
func (d *Description) Bytes() (bytes int64) {
	for _, file := range d.Files {
		bytes += file.Bytes
	}
	return bytes
}

// Read reads the description of a backup.
func Read(dir string) (*Description, error) {
	text, err := os.ReadFile(filepath.Join(dir, descriptionFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is no backup, or one that was not finished: it has no %s", dir, descriptionFile)
	}
	if err != nil {
		return nil, err
	}
	d := &Description{}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf("read %s of the backup: %w", descriptionFile, err)
	}
	if d.Format != format {
		return nil, fmt.Errorf("the backup has format %d, and this version reads %d", d.Format, format)
	}
	return d, nil
}

func (d *Description) write(dir string) error {
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, descriptionFile), append(text, '\n'), 0o600)
}
