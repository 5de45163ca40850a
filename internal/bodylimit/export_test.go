package bodylimit

// Waiting returns how many bodies of a client wait for a turn.
func (b *Budget) Waiting(client string) int {
	b.turns.mu.Lock()
	defer b.turns.mu.Unlock()
	return len(b.turns.waiting[client])
}
