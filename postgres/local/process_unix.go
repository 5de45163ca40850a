//go:build unix

package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// account is the unprivileged user that the server runs as when this process is root; nil otherwise.
// PostgreSQL refuses to run as root.
type account struct {
	uid, gid uint32
}

// A data directory that exists is served by its owner.
func serverAccount(dataDir string) (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	if info, err := os.Stat(dataDir); err == nil {
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Uid != 0 {
			return &account{uid: stat.Uid, gid: stat.Gid}, nil
		}
	}
	for _, name := range []string{"postgres", "_postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(found.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(found.Gid, 10, 32)
		if err1 == nil && err2 == nil && uid != 0 {
			return &account{uid: uint32(uid), gid: uint32(gid)}, nil
		}
	}
	return nil, errors.New("PostgreSQL can't run as root, and neither the user postgres nor nobody exists here: " +
		"make one (useradd --system postgres) or start as an ordinary user")
}

// giveToServer makes the server's user the owner of a file or directory.
func (c *cluster) giveToServer(path string) error {
	if c.account == nil {
		return nil
	}
	if err := os.Chown(path, int(c.account.uid), int(c.account.gid)); err != nil {
		return fmt.Errorf("giving %s to the server's user: %w", path, err)
	}
	return nil
}

// command prepares a PostgreSQL program that works on dataDir. Where the account can't reach the directory by its
// path (a directory below /root, say), it gets the open directory and names it through /proc, so that no permission
// on the way has to be loosened.
func command(
	ctx context.Context, program string, dataDir string, who *account, arguments ...string,
) (*exec.Cmd, func(), error) {
	release := func() {}
	directory := dataDir
	var files []*os.File
	if who != nil && !reachable(filepath.Dir(dataDir), who) {
		if _, err := os.Stat("/proc/self/fd"); err != nil {
			return nil, nil, fmt.Errorf(
				"the user %d can't reach %s, and this system has no /proc to hand it over: choose a data directory outside "+
					"private directories",
				who.uid, dataDir,
			)
		}
		handle, err := os.Open(dataDir)
		if err != nil {
			return nil, nil, fmt.Errorf("opening the data directory: %w", err)
		}
		files = append(files, handle)
		release = func() { handle.Close() }
		directory = "/proc/self/fd/3" // the first file after stdin, stdout and stderr
	}
	cmd := exec.CommandContext(ctx, program, append([]string{"-D", directory}, arguments...)...)
	cmd.Dir = "/"
	cmd.ExtraFiles = files
	cmd.Env = append(withoutPGVariables(os.Environ()), "LC_MESSAGES=C")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if who != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: who.uid, Gid: who.gid}
	}
	return cmd, release, nil
}

// withoutPGVariables drops PGDATA, PGPORT and the like: they are meant for another server.
func withoutPGVariables(environment []string) []string {
	var kept []string
	for _, variable := range environment {
		if !strings.HasPrefix(variable, "PG") {
			kept = append(kept, variable)
		}
	}
	return kept
}

// reachable tells whether the account may pass through every directory down to dir.
func reachable(dir string, who *account) bool {
	for {
		info, err := os.Stat(dir)
		if err != nil {
			return false
		}
		mode := info.Mode().Perm()
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return false
		}
		pass := mode&0o001 != 0
		if stat.Uid == who.uid {
			pass = mode&0o100 != 0
		} else if stat.Gid == who.gid {
			pass = mode&0o010 != 0
		}
		if !pass {
			return false
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return true
		}
		dir = parent
	}
}

// lockDir takes the directory for this process, waiting until wait has passed. The kernel lets go of the lock when
// the process dies, however it dies.
func lockDir(ctx context.Context, path string, wait time.Duration) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the lock of the local server: %w", err)
	}
	deadline := time.Now().Add(wait)
	for {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			file.Close()
			return nil, fmt.Errorf("locking %s: %w", path, err)
		}
		if time.Now().After(deadline) {
			file.Close()
			return nil, fmt.Errorf("another process supervises the database in %s", filepath.Dir(path))
		}
		select {
		case <-ctx.Done():
			file.Close()
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// numbered tells whether the kernel knows the number, be it of a process that has ended and was not reaped.
func numbered(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// alive tells whether a process exists and has not ended (a zombie has).
func alive(pid int) bool {
	if !numbered(pid) {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true // no /proc, or gone this moment, which the next call sees
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

// pidFile returns PostgreSQL's own lock file, whose first line is the process id.
func pidFile(dataDir string) string { return filepath.Join(dataDir, "postmaster.pid") }

func recordedPID(dataDir string) int {
	text, err := os.ReadFile(pidFile(dataDir))
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		return 0
	}
	return pid
}

// postmaster returns the process id of the server that runs on dataDir, or 0. The pid file alone is not believed:
// after a crash or a restart of the machine its number may belong to any process.
func postmaster(dataDir string) int {
	pid := recordedPID(dataDir)
	if pid <= 1 || !alive(pid) {
		return 0
	}
	// A postmaster's working directory is its data directory.
	if workingDir, err := os.Stat(fmt.Sprintf("/proc/%d/cwd", pid)); err == nil {
		data, err := os.Stat(dataDir)
		if err != nil || !os.SameFile(workingDir, data) {
			return 0
		}
		return pid
	}
	output, err := exec.Command("ps", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	if err != nil || !strings.Contains(string(output), "postgres") || !strings.Contains(string(output), dataDir) {
		return 0
	}
	return pid
}

// stopPostmaster ends the server that runs on dataDir: a fast shutdown (a checkpoint, then exit), and after the
// patience has run out an immediate one, which recovers at the next start.
func stopPostmaster(ctx context.Context, pid int, patience time.Duration) error {
	for _, step := range []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{syscall.SIGINT, patience}, {syscall.SIGQUIT, 10 * time.Second}} {
		if err := syscall.Kill(pid, step.signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stopping the database server %d: %w", pid, err)
		}
		deadline := time.Now().Add(step.wait)
		for time.Now().Before(deadline) {
			if !alive(pid) {
				return nil
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
	return fmt.Errorf("the database server %d doesn't stop", pid)
}
