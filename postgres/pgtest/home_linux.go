package pgtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

const (
	tmpfs = 0x01021994
	// roomForServer is what the files of a server and of the tests of a machine take in memory, with a margin.
	roomForServer = 4 << 30
)

// inMemory returns a directory of this user for the shared server's files in memory, and nothing where there is no
// room: a database is a thousand files, and on ext4 without a journal most of what a test took the server was looking
// for inodes that nobody had freed within the last seconds.
func inMemory() string {
	const shared = "/dev/shm"
	var found syscall.Statfs_t
	if err := syscall.Statfs(shared, &found); err != nil || found.Type != tmpfs {
		return ""
	}
	if found.Bavail*uint64(found.Bsize) < roomForServer {
		return ""
	}
	dir := filepath.Join(shared, fmt.Sprintf("svc-pgtest-of-%d", os.Getuid()))
	if !ownDirectory(dir) {
		return ""
	}
	return dir
}

// ownDirectory makes a directory, or tells whether what is there is one of this user, where everybody may make files.
func ownDirectory(dir string) bool {
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return false
	}
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	status, known := info.Sys().(*syscall.Stat_t)
	return known && int(status.Uid) == os.Getuid()
}
