// Package ingest takes event batches from client SDKs to PostgreSQL: it decodes
// and validates the three bodies of the REST interface (product events, flow
// events, track), adds place, device and bot decisions, and writes everything
// that is fresh in one transaction that is acknowledged after its commit.
//
// The decoding, the validation, the session fold and the lists are pure
// functions of their input and of the receive time. Only Writer touches the
// database. The package knows nothing of HTTP, of keys, of limits or of
// reports.
//
// A bad event never sinks its batch: it is answered as a Reject whose code is
// one of the Code constants. A bad envelope stores nothing and is an
// *EnvelopeError.
package ingest
