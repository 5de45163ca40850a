package frame

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/svc-dev/svc/analytics/run"
)

// noPath is the code of the path of runs that have none: what happened in them is read from their hits.
const noPath = 0

// maxPath is how many hits a path may have; runs with more have none.
const maxPath = 256

// paths gives distinct paths codes within bytes of their own: a run without a path costs time and changes no answer, so
// paths must not take the room of values, nor outweigh the runs where every run has its own.
type paths struct {
	runs atomic.Int64 // that asked for a code

	mu    sync.RWMutex
	limit int64
	spent int64
	codes map[string]uint32 // by the memory of the path
	paths [][]uint32
}

// What paths may take of memory: a share of the bytes of made-up values, one in so many, and some bytes a run.
const (
	pathShare   = 16
	pathsPerRun = 8
	fewPaths    = 1 << 16
)

// pathBytes is the memory of a distinct path without its hits: a slice, a slot of the map and what readers derive.
const pathBytes = 128

func newPaths(valueBytes int64) *paths {
	return &paths{limit: valueBytes / pathShare, codes: map[string]uint32{}, paths: [][]uint32{nil}}
}

// LimitPaths lets the paths of runs take at most so many bytes; runs of others have none, and reports read their hits.
// It changes the speed and never the answer; tests set it so that small data has both.
func (d *Dataset) LimitPaths(bytes int64) {
	d.paths.mu.Lock()
	defer d.paths.mu.Unlock()
	d.paths.limit = bytes
}

// pathText returns the memory of a path, valid while that is.
func pathText(path []uint32) string {
	return unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(path))), len(path)*4)
}

// code returns the code of a path, which is copied when it is new.
func (p *paths) code(path []uint32) uint32 {
	p.mu.RLock()
	code, ok := p.codes[pathText(path)]
	p.mu.RUnlock()
	if ok {
		return code
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if code, ok := p.codes[pathText(path)]; ok {
		return code
	}
	bytes := pathBytes + int64(len(path))*4
	if p.spent+bytes > min(p.limit, fewPaths+pathsPerRun*p.runs.Load()) {
		return noPath
	}
	p.spent += bytes
	path = slices.Clone(path)
	return p.add(path)
}

func (p *paths) add(path []uint32) uint32 {
	code := uint32(len(p.paths))
	p.paths = append(p.paths, path)
	p.codes[pathText(path)] = code // a path in the table never changes
	return code
}

// Bytes returns the memory of the paths.
func (p *paths) Bytes() int64 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.spent
}

func (p *paths) all() [][]uint32 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.paths[:len(p.paths):len(p.paths)]
}

// OnPath tells whether hits of a name are part of a run's path.
func OnPath(name run.Name) bool {
	switch name {
	case run.StepViewed, run.SurfacePresented, run.StepCompleted, run.StepSkipped, run.SurfaceOutcome, run.Purchase,
		run.DecisionEvaluated, run.FlowCompleted, run.FlowAbandoned:
		return true
	}
	return false
}

// pathReader finds the codes of paths for one goroutine.
type pathReader struct {
	paths *paths
	known map[string]uint32
	path  []uint32 // of the present run
}

func (r *pathReader) code() uint32 {
	r.paths.runs.Add(1)
	if len(r.path) > maxPath {
		return noPath
	}
	code, ok := r.known[pathText(r.path)]
	if !ok {
		if code = r.paths.code(r.path); code != noPath {
			remember(r.known, strings.Clone(pathText(r.path)), code)
		}
	}
	return code
}
