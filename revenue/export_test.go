package revenue

// Waiting returns how many deliveries wait for the one that is booked.
func (l *Ledger) Waiting() (n int) {
	l.queues.mu.Lock()
	defer l.queues.mu.Unlock()
	for _, at := range l.queues.at {
		if at.filled != nil {
			n += len(at.filled.list)
		}
	}
	return n
}
