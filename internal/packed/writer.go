package packed

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/internal/service"
	"github.com/svc-dev/svc/internal/throttle"
)

const (
	// writeEvery is the pause between two writes. With the time of a write it stays well below half a second: a crash may
	// lose people of one second, and others have to know of them as soon.
	writeEvery = 350 * time.Millisecond
	// timeout bounds the talk with a database that does not answer.
	timeout = 10 * time.Second
	// MaxWaiting is how many people wait in memory for the database, some 12 MiB, and MaxWaitingOwner how many of them
	// are of one owner.
	MaxWaiting      = 1 << 18
	MaxWaitingOwner = MaxPeople
)

// Writer has people who wait to be written. O is whom a bound is for, such as an environment, and S the set of the
// owner's that people belong to, such as an arm. It is safe for use by many goroutines.
type Writer[O, S comparable] struct {
	// What says what waits for the database, in errors and the log.
	What string
	// Store writes people, and leaves what it is given as it is.
	Store func(ctx context.Context, waiting map[O]*Waiting[S]) error
	// AfterWrite is called after every write that is due; may be nil.
	AfterWrite func(ctx context.Context) error
	Logger     *slog.Logger

	mu      sync.Mutex
	waiting map[O]*Waiting[S]
	taken   map[O]*Waiting[S] // those of the write under way
	people  int               // in both

	writing sync.Mutex // one write at a time
	away    throttle.PerSecond
	service.Loops
}

// Waiting is who waits to be written, of one owner.
type Waiting[S comparable] struct {
	Sets    map[S]map[uuid.UUID]int32 // people by set, with the day on which they came, counted from 1970
	People  int                       // in all sets
	LeftOut int64                     // who came and found no room

	taken  int  // of the owner, in the write under way
	people *int // of the writer
}

// Add lets a person wait, unless there is no room. Whoever waits already stays.
func (w *Waiting[S]) Add(set S, person uuid.UUID, day int32) bool {
	if _, waits := w.Sets[set][person]; waits {
		return true
	}
	if *w.people >= MaxWaiting || w.People+w.taken >= MaxWaitingOwner {
		return false
	}
	w.put(set, person, day)
	return true
}

func (w *Waiting[S]) put(set S, person uuid.UUID, day int32) {
	people := w.Sets[set]
	if people == nil {
		people = map[uuid.UUID]int32{}
		w.Sets[set] = people
	}
	before := len(people)
	people[person] = day
	w.People += len(people) - before
	*w.people += len(people) - before
}

// Update lets change add to what waits for an owner. Nothing else is changed meanwhile.
func (w *Writer[O, S]) Update(owner O, change func(of *Waiting[S])) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(w.of(owner))
}

// of returns what waits for an owner. Its caller holds the lock.
func (w *Writer[O, S]) of(owner O) *Waiting[S] {
	of := w.waiting[owner]
	if of == nil {
		of = &Waiting[S]{Sets: map[S]map[uuid.UUID]int32{}, people: &w.people}
		if taken := w.taken[owner]; taken != nil {
			of.taken = taken.People
		}
		if w.waiting == nil {
			w.waiting = map[O]*Waiting[S]{}
		}
		w.waiting[owner] = of
	}
	return of
}

// View lets see look at what waits and is not being written. Nothing is changed meanwhile.
func (w *Writer[O, S]) View(see func(waiting map[O]*Waiting[S])) {
	w.mu.Lock()
	defer w.mu.Unlock()
	see(w.waiting)
}

// People returns how many wait.
func (w *Writer[O, S]) People() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.people
}

// Start begins to write.
func (w *Writer[O, S]) Start(context.Context) error {
	w.Every(writeEvery, func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		err := w.Write(ctx)
		if err == nil && w.AfterWrite != nil {
			err = w.AfterWrite(ctx)
		}
		if err != nil && ctx.Err() == nil && w.away.Allow(time.Now()) {
			w.Logger.WarnContext(ctx, w.What+" wait for the database", "error", err)
		}
	})
	return nil
}

// Stop ends the writing and writes who waits. Nobody may be added any more.
func (w *Writer[O, S]) Stop(ctx context.Context) error {
	if err := w.Loops.Stop(ctx); err != nil {
		return err
	}
	return w.Write(ctx)
}

// Write writes who waits. Who could not be written waits on.
func (w *Writer[O, S]) Write(ctx context.Context) error {
	w.writing.Lock()
	defer w.writing.Unlock()
	w.mu.Lock()
	taken := w.waiting
	w.taken, w.waiting = taken, nil
	w.mu.Unlock()
	if len(taken) == 0 {
		return nil
	}
	err := w.Store(ctx, taken)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.taken = nil
	for owner, of := range taken {
		w.people -= of.People
		if since := w.waiting[owner]; since != nil {
			since.taken = 0
		}
		if err != nil {
			w.putBack(owner, of)
		}
	}
	if err != nil {
		return fmt.Errorf("store %s: %w", w.What, err)
	}
	return nil
}

// putBack lets those who were not written wait on with those who came since, by the day of the former. There is room
// for all: who came since was let in beside them.
func (w *Writer[O, S]) putBack(owner O, of *Waiting[S]) {
	since := w.of(owner)
	since.LeftOut += of.LeftOut
	for set, people := range of.Sets {
		for person, day := range people {
			since.put(set, person, day)
		}
	}
}
