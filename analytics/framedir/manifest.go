package framedir

import (
	"time"

	"github.com/svc-dev/svc/analytics/frame"
)

// Identity is what tells a database from every other, and from itself at another time: transaction ids mean nothing
// in another one.
type Identity struct {
	System   string `json:"system"`   // of the cluster
	Timeline string `json:"timeline"` // a promoted replica, and a cluster that was reset to an earlier time, have another
	Database uint32 `json:"database"`
	Sessions uint32 `json:"sessions"` // the tables, which a restored dump makes anew
	Runs     uint32 `json:"runs"`
}

// Manifest says which files of an environment belong together, and what they stand for: what a snapshot of the database
// sees.
type Manifest struct {
	Format      int       `json:"format"`
	SavedAt     time.Time `json:"savedAt"`
	Environment int64     `json:"environment"`
	Identity    Identity  `json:"identity"`
	Snapshot    string    `json:"snapshot"` // pg_snapshot

	Values      File   `json:"values"`
	Purchases   File   `json:"purchases"`
	Visitors    *File  `json:"visitors,omitempty"` // the first ids
	VisitorTail File   `json:"visitorTail"`        // the others
	CustomIDs   *File  `json:"customIds,omitempty"`
	CustomTail  File   `json:"customTail"`
	Touches     []File `json:"touches"`

	Catalogues [frame.RowTypes]Catalogue `json:"catalogues"`
	Days       []Day                     `json:"days"`

	begun int64 // files with a later number are not of it, and in use
}

// Catalogue is what is known of all rows of one type.
type Catalogue struct {
	Known    bool    `json:"known"`
	RowBytes float64 `json:"rowBytes"`
}

// Day is a home day of rows of one type.
type Day struct {
	Rows   frame.RowType `json:"rows"`
	Number int32         `json:"number"` // days since 1970-01-01
	First  int64         `json:"first"`  // bounds of its rows, Unix milliseconds
	Last   int64         `json:"last"`
	Count  int64         `json:"count"` // rows when it was counted

	Sealed  *File `json:"sealed,omitempty"` // nil when nobody has asked for the day
	Overlay *File `json:"overlay,omitempty"`
}

// Begin begins a manifest of an environment. Files that are created later, and that it does not name, outlive its
// commit: they are days that are read meanwhile.
func (d *Directory) Begin(environment int64) *Manifest {
	return &Manifest{Environment: environment, begun: d.next.Load()}
}

// Written returns how many bytes were written for the manifest: those of its files that were created since it began.
func (m *Manifest) Written() (bytes int64) {
	for _, f := range m.Files() {
		if f.number > m.begun {
			bytes += f.Bytes
		}
	}
	return bytes
}

// Files lists all files that the manifest names.
func (m *Manifest) Files() []File {
	files := append([]File{m.Values, m.Purchases, m.VisitorTail, m.CustomTail}, m.Touches...)
	add := func(f *File) {
		if f != nil {
			files = append(files, *f)
		}
	}
	add(m.Visitors)
	add(m.CustomIDs)
	for i := range m.Days {
		add(m.Days[i].Sealed)
		add(m.Days[i].Overlay)
	}
	return files
}
