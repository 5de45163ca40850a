package bodylimit

// Waiting returns how many bodies of a client wait for a turn.
func (b *Budget) Waiting(client string) int {
	return b.turns.Waiting(client)
}
