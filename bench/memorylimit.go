package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// memoryLimit is a control group of Linux, of version 1 or 2, whose processes have so much memory, with the pages of
// files that they read.
type memoryLimit struct {
	folder, limit, peak string
	err                 error // why there is none
}

// limitMemory makes a group. Where that is not allowed what is measured has all memory, and says so.
func limitMemory(bytes int64) *memoryLimit {
	name := "svc-bench-" + strconv.Itoa(os.Getpid())
	l := &memoryLimit{
		filepath.Join("/sys/fs/cgroup/memory", name), "memory.limit_in_bytes", "memory.max_usage_in_bytes", nil,
	}
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil {
		l.folder, l.limit, l.peak = filepath.Join("/sys/fs/cgroup", name), "memory.max", "memory.peak"
	}
	l.err = os.Mkdir(l.folder, 0o755)
	if l.err == nil {
		l.err = os.WriteFile(filepath.Join(l.folder, l.limit), []byte(strconv.FormatInt(bytes, 10)), 0o644)
	}
	return l
}

// String tells the limit.
func (l *memoryLimit) String() string {
	if l.err != nil {
		return fmt.Sprintf("NOT LIMITED, %v", l.err)
	}
	limit, err := os.ReadFile(filepath.Join(l.folder, l.limit))
	return fmt.Sprintf("%s bytes %v", strings.TrimSpace(string(limit)), errors.Join(err))
}

// command returns a command that runs in the group.
func (l *memoryLimit) command(name string, args ...string) *exec.Cmd {
	if l == nil || l.err != nil {
		return exec.Command(name, args...)
	}
	inside := []string{"-c", `echo $$ >"$0" && exec "$@"`, filepath.Join(l.folder, "cgroup.procs"), name}
	return exec.Command("sh", append(inside, args...)...)
}

// most returns how many bytes the group had at most, 0 without one.
func (l *memoryLimit) most() float64 {
	text, err := os.ReadFile(filepath.Join(l.folder, l.peak))
	if l.err != nil || err != nil {
		return 0
	}
	bytes, _ := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	return bytes
}

// remove removes the group, whose processes have ended.
func (l *memoryLimit) remove() {
	if l.err == nil {
		_ = os.Remove(l.folder)
	}
}

// forgetPages drops the pages of the files below a folder from the page cache, so that who reads them next is charged.
func forgetPages(folder string) error {
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		return errors.Join(unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED), file.Close())
	})
}
