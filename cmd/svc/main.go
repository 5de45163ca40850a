// Command svc is the whole product: the server with or without its own
// database, its operator verbs, and the command line client of its API.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// terminal is where a command reads and writes; tests give their own.
type terminal struct {
	in      io.Reader
	out     io.Writer
	err     io.Writer
	environ []string
}

// env returns the value of an environment variable, or "".
func (t terminal) env(name string) string {
	for i := len(t.environ) - 1; i >= 0; i-- {
		if entry := t.environ[i]; len(entry) > len(name) && entry[len(name)] == '=' && entry[:len(name)] == name {
			return entry[len(name)+1:]
		}
	}
	return ""
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first signal drains; a second one ends the process as usual.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], terminal{in: os.Stdin, out: os.Stdout, err: os.Stderr, environ: os.Environ()}))
}

// run executes one command line and returns its exit code.
func run(ctx context.Context, args []string, term terminal) int {
	root := newRoot(term)
	root.SetArgs(args)
	root.SetIn(term.in)
	root.SetOut(term.out)
	root.SetErr(term.err)
	return fail(term.err, root.ExecuteContext(ctx))
}
