package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// baseBackup finds pg_basebackup beside the server that runs, and returns nothing where it was installed without.
func baseBackup(t *testing.T, d *Dev) string {
	t.Helper()
	server, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", postmaster(t, d)))
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(filepath.Dir(server), "pg_basebackup")
	if _, err := os.Stat(program); err != nil {
		t.Log("the disk is not lost: ", err)
		return ""
	}
	return program
}

// loseDisk takes a base backup while all goes on, and then the files of the database away, but for the log that it
// wrote since, as an archive has it. What is started again is the backup, which reads that log to its end.
func loseDisk(t *testing.T, d *Dev, load *crashLoad, program string) {
	t.Helper()
	data := filepath.Join(d.Dir, "postgres", "data")
	backup, lost := data+"-backup", data+"-lost"
	// The slot keeps the log from being removed. It is not part of the backup.
	var slot string
	query(t, d, `select slot_name from pg_create_physical_replication_slot('archive', true)`, &slot)
	command := exec.Command(program, "--dbname="+d.DatabaseURL, "--pgdata="+backup, "--checkpoint=fast",
		"--wal-method=none", "--no-sync")
	if said, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	load.goesOn("load after the backup")
	d.Kill() // it would start the database again
	killDatabase(t, d)
	Until(t, time.Minute, "the database's processes end", func() error {
		places, err := filepath.Glob("/proc/[0-9]*/cwd")
		for _, place := range places {
			if at, gone := os.Readlink(place); gone == nil && at == data {
				return fmt.Errorf("%s is there", place)
			}
		}
		return err
	})
	for _, step := range []func() error{
		func() error { return os.Rename(data, lost) },
		func() error { return os.Rename(filepath.Join(lost, "pg_wal"), filepath.Join(backup, "archive")) },
		func() error { return os.WriteFile(filepath.Join(backup, "recovery.signal"), nil, 0o600) },
		func() error {
			return appendTo(filepath.Join(backup, "postgresql.auto.conf"), "restore_command = 'cp archive/%f %p'\n")
		},
		func() error { return giveTo(lost, backup) },
		func() error { return os.RemoveAll(lost) },
		func() error { return os.Rename(backup, data) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	load.revive()
	var recovering bool
	query(t, d, `select pg_is_in_recovery()`, &recovering)
	if recovering {
		t.Fatal("the restored database is not read to its end yet, and svc serves")
	}
	if err := os.RemoveAll(filepath.Join(data, "archive")); err != nil {
		t.Fatal(err)
	}
}

func appendTo(path, text string) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.WriteString(text)
	return err
}

// giveTo makes the owner of a directory that of another one and of all that is in it.
func giveTo(like, dir string) error {
	info, err := os.Stat(like)
	if err != nil {
		return err
	}
	owner := info.Sys().(*syscall.Stat_t)
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, int(owner.Uid), int(owner.Gid))
	})
}
