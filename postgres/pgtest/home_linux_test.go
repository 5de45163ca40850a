package pgtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Anybody may make files in /dev/shm: the server's passwords and files are in a directory of this user only.
func TestTheServerIsInADirectoryOfItsOwn(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "made")
	for range 2 {
		if !ownDirectory(dir) {
			t.Fatal("a directory that it made is not used")
		}
	}
	link := filepath.Join(parent, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if ownDirectory(link) {
		t.Error("a link is followed")
	}
	file := filepath.Join(parent, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if ownDirectory(file) {
		t.Error("a file is no directory")
	}
	if os.Getuid() == 0 { // nobody else may give a file away
		if err := os.Chown(dir, 1, -1); err != nil {
			t.Fatal(err)
		}
		if ownDirectory(dir) {
			t.Error("a directory of another user is used")
		}
	}
}
