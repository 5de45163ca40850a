package studio

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/svc-dev/svc/manifest/edit"
)

const (
	// maxDraftBytes bounds the memory of open drafts.
	maxDraftBytes = 64 << 20
	// documentFactor is how many bytes a document takes for each of its JSON.
	documentFactor = 12
	// emptyDraft is what an open draft takes beside its document.
	emptyDraft = 1 << 10
)

// openDrafts keeps the documents of drafts that were read or edited last, since decoding one takes longer than an edit.
type openDrafts struct {
	mu    sync.Mutex
	kept  *simplelru.LRU[uuid.UUID, *openDraft]
	bytes int
}

// openDraft is the document of a draft at a revision. Only who has the turn may use it: whoever changes it holds the
// lock on the flow's row as well, and drops the document when the transaction was not committed.
type openDraft struct {
	turn     chan struct{} // one value while somebody has it
	document *edit.Document
	revision int
	size     int // bytes of JSON, or somewhat more

	// recorded is when the audit log last said of a user that they edit.
	recorded map[uuid.UUID]time.Time

	bytes int // as counted in openDrafts
}

func newOpenDrafts() *openDrafts {
	o := &openDrafts{}
	// Bytes are the bound; the number only has to be one that they never reach.
	kept, err := simplelru.NewLRU(maxDraftBytes, func(_ uuid.UUID, d *openDraft) { o.bytes -= d.bytes })
	if err != nil {
		panic(err) // only for a size below 1
	}
	o.kept = kept
	return o
}

// take waits for the turn of a draft, which may not be open yet. Give it back.
func (o *openDrafts) take(ctx context.Context, flow uuid.UUID) (*openDraft, error) {
	o.mu.Lock()
	d, ok := o.kept.Get(flow)
	if !ok {
		d = &openDraft{turn: make(chan struct{}, 1), recorded: map[uuid.UUID]time.Time{}}
		o.kept.Add(flow, d)
	}
	o.mu.Unlock()
	select {
	case d.turn <- struct{}{}:
		return d, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// give ends a turn and drops the drafts that were not used for longest when there are too many. One that was dropped
// during its turn ends with it.
func (o *openDrafts) give(flow uuid.UUID, d *openDraft) {
	bytes := emptyDraft
	if d.document != nil {
		bytes += documentFactor * d.size
	}
	o.mu.Lock()
	if kept, ok := o.kept.Peek(flow); ok && kept == d {
		o.bytes += bytes - d.bytes
		d.bytes = bytes
	}
	for o.bytes > maxDraftBytes {
		o.kept.RemoveOldest()
	}
	o.mu.Unlock()
	<-d.turn
}
