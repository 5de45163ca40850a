package sdkapi

import (
	"github.com/svc-dev/svc/people/proof"
)

// unprovedHeader is in the answers of resolve where a custom user id was taken for absent: their bodies are prepared.
const unprovedHeader = "X-Svc-Unproved"

// Proofs counts how custom user ids were proved: the method of proof.Counter. It is asked on every request that names
// one and must not wait.
type Proofs interface {
	Note(environmentID int64, outcome proof.Outcome)
}

// naming is how one request names custom user ids (wire.md §8.1). An id that comes again and again, as with every event
// of a batch, is looked at and counted once.
type naming struct {
	api  *API
	call *call
	// refused tells whether some id must be taken for absent.
	refused bool

	customUserID, sent string
	outcome            proof.Outcome
}

// prove looks at an id and the proof beside it. A server key proves every id of its workspace.
func (n *naming) prove(customUserID, sent string) proof.Outcome {
	rule := n.call.environment.Proof
	switch {
	case n.call.server:
		return proof.Proved
	case customUserID == "":
		return proof.Missing
	case customUserID == n.customUserID && sent == n.sent:
		return n.outcome
	}
	n.customUserID, n.sent, n.outcome = customUserID, sent, rule.Check(customUserID, sent)
	if rule.Counts() && n.api.stores.Proofs != nil {
		n.api.stores.Proofs.Note(n.call.environment.ID, n.outcome)
	}
	n.refused = n.refused || rule.Refuses(n.outcome)
	return n.outcome
}

// proves tells whether an id and whoever it names are proved; nil is no proof.
func (n *naming) proves(customUserID string, sent *string) bool {
	if sent == nil {
		sent = new(string)
	}
	return n.prove(customUserID, *sent) == proof.Proved
}

// believes tells whether an id is taken, proved or not.
func (n *naming) believes(customUserID, sent string) bool {
	return !n.call.environment.Proof.Refuses(n.prove(customUserID, sent))
}
