package postgres

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/internal/turns"
)

// maxOfCaller is how many connections one caller has at once: as many as a page of a dashboard asks operations.
const maxOfCaller = 8

// callers shares connections of a pool among those whom [ForCaller] names, turn by turn: three quarters of the pool, of
// which one caller has two thirds at most. The rest is kept for what nobody is named for, such as events of apps. The
// pool calls it as its tracer, which alone is asked before a connection is waited for, wherever the pool is used.
type callers struct{ turns *turns.Turns[string] }

func newCallers(connections int) *callers {
	places := connections - connections/4
	return &callers{turns.New[string](places, min(maxOfCaller, max(1, 2*places/3)))}
}

// task is a piece of a caller's work that one function does. It waits for a place before its first connection, and has
// those that it needs beside that one without waiting: those who hold one would wait for each other for ever.
type task struct {
	caller string

	mu    sync.Mutex // of what follows; held for moments only
	conns int        // that it has or is about to have
	ends  []func()   // give back its places
}

type (
	taskKey  struct{}
	takenKey struct{}
)

// ForCaller returns a context for one piece of a caller's work, such as a field of a GraphQL operation: with it
// connections are counted among those of the caller. Pieces that are worked on at once need a context each.
func ForCaller(ctx context.Context, caller string) context.Context {
	return context.WithValue(ctx, taskKey{}, &task{caller: caller})
}

// ForAll returns a context whose connections are counted for no caller: those of work that has waited for a place in a
// pool of its own, which others wait for meanwhile.
func ForAll(ctx context.Context) context.Context {
	return context.WithValue(ctx, taskKey{}, (*task)(nil))
}

// TraceAcquireStart implements pgxpool.AcquireTracer: it returns when the caller may have a connection, or ctx has
// ended.
func (c *callers) TraceAcquireStart(
	ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData,
) context.Context {
	t, _ := ctx.Value(taskKey{}).(*task)
	if t == nil || c.take(ctx, t) != nil { // the pool refuses a context that has ended
		return ctx
	}
	return context.WithValue(ctx, takenKey{}, t)
}

func (c *callers) take(ctx context.Context, t *task) error {
	t.mu.Lock()
	if t.conns > 0 {
		t.conns++
		t.mu.Unlock()
		return nil
	}
	t.mu.Unlock()
	end, err := c.turns.Take(ctx, t.caller)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.conns++
	t.ends = append(t.ends, end)
	return nil
}

// TraceAcquireEnd implements pgxpool.AcquireTracer.
func (c *callers) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, data pgxpool.TraceAcquireEndData) {
	t, _ := ctx.Value(takenKey{}).(*task)
	switch {
	case t == nil:
	case data.Err != nil:
		t.leave()
	default:
		data.Conn.PgConn().CustomData()[customTask] = t
	}
}

// customTask is whose connection one is, in its custom data.
const customTask = "task"

// TraceRelease implements pgxpool.ReleaseTracer.
func (c *callers) TraceRelease(_ *pgxpool.Pool, data pgxpool.TraceReleaseData) {
	custom := data.Conn.PgConn().CustomData()
	if t, ok := custom[customTask].(*task); ok {
		delete(custom, customTask)
		t.leave()
	}
}

func (t *task) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conns--; t.conns > 0 {
		return
	}
	for _, end := range t.ends {
		end()
	}
	t.ends = nil
}

// TraceQueryStart implements pgx.QueryTracer, without which there is no tracer.
func (c *callers) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (c *callers) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
