package bodylimit

import "time"

const (
	// Large is the size in bytes from which a body waits for its turn to be
	// unpacked and decoded. Below, either takes a few milliseconds, whatever is in
	// it: what a batch says once for all its events costs time for each of them.
	Large = 32 << 10
	// maxTurns is how many large bodies are worked on at a time. When a turn is free it goes to the next client of those
	// that wait, so that the many bodies of one do not keep the single one of another.
	maxTurns = 2
	// patience is how long a large body waits for a turn: with the rest of its
	// way a client of a busy server is answered within five seconds.
	patience = 4 * time.Second
)
