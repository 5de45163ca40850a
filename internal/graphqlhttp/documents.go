package graphqlhttp

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/vektah/gqlparser/v2/ast"
)

const (
	// maxDocumentBytes bounds the memory of kept documents: those of several
	// hundred pages of a dashboard.
	maxDocumentBytes = 32 << 20
	// parsedFactor is how many bytes a parsed document takes for each of its text:
	// 16 to 32 were measured, and the text itself.
	parsedFactor = 40
)

// documents keeps those that were used last, by their hash. Plain queries and
// persisted ones share it.
type documents struct {
	mu    sync.Mutex
	kept  *simplelru.LRU[hash, keptDocument]
	bytes int
	max   int
}

type keptDocument struct {
	text   string
	parsed *ast.QueryDocument
}

func (d keptDocument) bytes() int { return parsedFactor * len(d.text) }

func newDocuments(maxBytes int) *documents {
	d := &documents{max: maxBytes}
	// Bytes are the bound; the number only has to be one that they never reach.
	kept, err := simplelru.NewLRU(maxBytes, func(_ hash, dropped keptDocument) { d.bytes -= dropped.bytes() })
	if err != nil {
		panic(err) // only a size below one
	}
	d.kept = kept
	return d
}

func (d *documents) get(id hash) (*ast.QueryDocument, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	found, kept := d.kept.Get(id)
	return found.parsed, kept
}

func (d *documents) text(id hash) (string, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	found, kept := d.kept.Peek(id)
	return found.text, kept
}

// add keeps a document and drops those that were not used for longest.
func (d *documents) add(id hash, text string, parsed *ast.QueryDocument) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.kept.Contains(id) { // two requests have read it at once
		return
	}
	added := keptDocument{text, parsed}
	d.kept.Add(id, added)
	for d.bytes += added.bytes(); d.bytes > d.max; {
		d.kept.RemoveOldest()
	}
}
