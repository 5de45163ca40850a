// Package framedir keeps the frames of environments in files, so that a server that starts again has what it read
// before. The database stays the truth: the folder may be deleted at any time, and whatever is in doubt is dropped.
//
// An environment has a folder of its own, named by its id. Its files are written once and never changed; the manifest
// says which of them belong together, and replaces the one before in one step. What the manifest does not name is
// removed.
package framedir

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/internal/mapped"
)

var (
	// ErrLocked reports that another server uses the folder.
	ErrLocked = errors.New("another server uses the folder of the report cache")
	// ErrFull reports that a file would exceed the limit of the folder.
	ErrFull = errors.New("the folder of the report cache has reached its size limit")
	// ErrManifest reports that a manifest is damaged.
	ErrManifest = errors.New("the manifest is damaged, or of another format")
)

// Directory is a folder of frames that this process has for itself.
type Directory struct {
	path  string
	limit int64 // bytes of all files; 0 is none
	lock  *os.File
	next  atomic.Int64 // of the names of files
	bytes atomic.Int64

	creating sync.RWMutex // held to read by who creates a file, to write by who removes some

	mu   sync.Mutex
	open map[int64]map[string]File // files of environments, by name
}

// File is a file of a folder.
type File struct {
	Name  string         `json:"name"`
	Kind  frame.FileKind `json:"kind"`
	Bytes int64          `json:"bytes"`
	Sum   uint32         `json:"sum"` // CRC-32C of all but the trailer, of a file in pieces that of its head

	number int64 // in the order of creation, 0 of files that were read
	synced bool
}

// Open takes a folder for this process, and makes it when it is not there. It fails with ErrLocked while another has
// it. Files in it may take so many bytes together; 0 is no limit.
func Open(path string, limit int64) (*Directory, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(path, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = lock.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("%s: %w", path, ErrLocked)
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	d := &Directory{path: path, limit: limit, lock: lock, open: map[int64]map[string]File{}}
	d.next.Store(time.Now().UnixNano())
	environments, err := d.Environments()
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	for _, environment := range environments {
		d.bytes.Add(d.sizeOf(environment))
	}
	return d, nil
}

// Close lets other processes take the folder.
func (d *Directory) Close() error { return d.lock.Close() }

// Path returns where the folder is.
func (d *Directory) Path() string { return d.path }

// Limit returns how many bytes all files may take; 0 is no limit.
func (d *Directory) Limit() int64 { return d.limit }

// Bytes returns how many bytes all files take.
func (d *Directory) Bytes() int64 { return d.bytes.Load() }

// Environments lists the environments that have files.
func (d *Directory) Environments() (ids []int64, err error) {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if id, err := strconv.ParseInt(entry.Name(), 10, 64); err == nil && entry.IsDir() {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func (d *Directory) folder(environment int64) string {
	return filepath.Join(d.path, strconv.FormatInt(environment, 10))
}

func (d *Directory) sizeOf(environment int64) (bytes int64) {
	entries, _ := os.ReadDir(d.folder(environment))
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
	}
	return bytes
}

// Create writes a file of an environment. It belongs to no manifest yet.
func (d *Directory) Create(
	environment int64, kind frame.FileKind, prefix string, fill func(e *frame.Encoder),
) (f File, err error) {
	if d.limit > 0 && d.bytes.Load() >= d.limit {
		return f, ErrFull
	}
	d.creating.RLock()
	defer d.creating.RUnlock()
	if err := os.MkdirAll(d.folder(environment), 0o700); err != nil {
		return f, err
	}
	f = File{Kind: kind, number: d.next.Add(1)}
	f.Name = prefix + "-" + strconv.FormatInt(f.number, 36)
	path := filepath.Join(d.folder(environment), f.Name)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return f, err
	}
	w := bufio.NewWriterSize(file, 1<<18)
	e := frame.NewEncoder(w, kind)
	fill(e)
	f.Bytes, f.Sum, err = e.Close()
	err = errors.Join(err, w.Flush(), file.Close())
	if err != nil {
		return f, errors.Join(err, os.Remove(path))
	}
	d.bytes.Add(f.Bytes)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open[environment] == nil {
		d.open[environment] = map[string]File{}
	}
	d.open[environment][f.Name] = f
	return f, nil
}

// Find returns a file that was created, or is of the manifest that was read.
func (d *Directory) Find(environment int64, file *mapped.File) (File, bool) {
	if file == nil {
		return File{}, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	f, ok := d.open[environment][file.Name()]
	return f, ok
}

// Has tells whether a file of an environment is still there.
func (d *Directory) Has(environment int64, f File) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.open[environment][f.Name]
	return ok
}

// Map maps a file of an environment. Of its contents nothing is checked but that they are as long as they were.
func (d *Directory) Map(environment int64, f File) (*mapped.File, error) {
	return mapped.Open(filepath.Join(d.folder(environment), f.Name), f.Bytes)
}

const manifestName = "manifest"

// Read returns the manifest of an environment; fs.ErrNotExist when it has none, ErrManifest when it is damaged.
func (d *Directory) Read(environment int64) (*Manifest, error) {
	m, err := readManifest(d.folder(environment))
	if err != nil {
		return nil, err
	}
	files := map[string]File{}
	for _, f := range m.Files() {
		f.synced = true
		files[f.Name] = f
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open[environment] = files
	return m, nil
}

// Peek returns the manifest of an environment without taking its files into use.
func (d *Directory) Peek(environment int64) (*Manifest, error) {
	return readManifest(d.folder(environment))
}

func readManifest(folder string) (*Manifest, error) {
	raw, err := os.ReadFile(filepath.Join(folder, manifestName))
	if err != nil {
		return nil, err
	}
	sum, text, _ := strings.Cut(string(raw), "\n")
	if sum != checksum([]byte(text)) {
		return nil, fmt.Errorf("%s: %w", folder, ErrManifest)
	}
	m := new(Manifest)
	if err := json.Unmarshal([]byte(text), m); err != nil || m.Format != frame.Format {
		return nil, fmt.Errorf("%s: %w", folder, ErrManifest)
	}
	return m, nil
}

func checksum(bytes []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(bytes, crc32.MakeTable(crc32.Castagnoli)))
}

// Commit makes a manifest that of its environment, once all that it names is on the disk, and removes what it does not
// name. Of the files of an environment only those may be created and committed at a time that one goroutine does.
func (d *Directory) Commit(m *Manifest) error {
	folder := d.folder(m.Environment)
	files := m.Files()
	for _, f := range files {
		d.mu.Lock()
		known, ok := d.open[m.Environment][f.Name]
		d.mu.Unlock()
		switch {
		case !ok:
			return fmt.Errorf("%s: %w", f.Name, fs.ErrNotExist) // it was dropped meanwhile
		case known.synced:
			continue
		}
		if err := sync1(filepath.Join(folder, f.Name)); err != nil {
			return err
		}
		known.synced = true
		d.mu.Lock()
		d.open[m.Environment][f.Name] = known
		d.mu.Unlock()
	}
	m.Format, m.SavedAt = frame.Format, time.Now().UTC()
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	temporary := filepath.Join(folder, manifestName+".new")
	if err := os.WriteFile(temporary, append([]byte(checksum(text)+"\n"), text...), 0o600); err != nil {
		return err
	}
	if err := errors.Join(sync1(temporary), sync1(folder)); err != nil {
		return err
	}
	if err := os.Rename(temporary, filepath.Join(folder, manifestName)); err != nil {
		return err
	}
	return errors.Join(sync1(folder), d.removeOthers(m))
}

// removeOthers removes the files that a manifest does not name and that were created before it was made.
func (d *Directory) removeOthers(m *Manifest) error {
	named := map[string]bool{manifestName: true}
	for _, f := range m.Files() {
		named[f.Name] = true
	}
	d.creating.Lock()
	defer d.creating.Unlock()
	d.mu.Lock()
	for name, f := range d.open[m.Environment] {
		named[name] = named[name] || f.number > m.begun
	}
	d.mu.Unlock()
	entries, err := os.ReadDir(d.folder(m.Environment))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !named[entry.Name()] {
			err = errors.Join(err, d.remove(m.Environment, entry))
		}
	}
	return err
}

func (d *Directory) remove(environment int64, entry fs.DirEntry) error {
	info, err := entry.Info()
	if err != nil {
		return nil //nolint:nilerr // it is gone
	}
	if err := os.Remove(filepath.Join(d.folder(environment), entry.Name())); err != nil {
		return err
	}
	d.bytes.Add(-info.Size())
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open[environment], entry.Name())
	return nil
}

// Remove removes a file of an environment that no manifest names. Without a folder or a file it does nothing.
func (d *Directory) Remove(environment int64, file *mapped.File) {
	if d == nil || file == nil {
		return
	}
	d.creating.Lock()
	defer d.creating.Unlock()
	d.mu.Lock()
	f, ok := d.open[environment][file.Name()]
	delete(d.open[environment], file.Name())
	d.mu.Unlock()
	if ok && os.Remove(filepath.Join(d.folder(environment), f.Name)) == nil {
		d.bytes.Add(-f.Bytes)
	}
}

// Drop removes all files of an environment, the manifest first. What is mapped can be read on.
func (d *Directory) Drop(environment int64) error {
	d.creating.Lock()
	defer d.creating.Unlock()
	d.mu.Lock()
	delete(d.open, environment)
	d.mu.Unlock()
	folder := d.folder(environment)
	if err := os.Remove(filepath.Join(folder, manifestName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	d.bytes.Add(-d.sizeOf(environment))
	return os.RemoveAll(folder)
}

func sync1(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
