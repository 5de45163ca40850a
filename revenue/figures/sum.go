package figures

import (
	"math"
	"math/bits"
)

// sum adds amounts of 64 bits in 128, so that neither their number nor their order matters.
type sum struct {
	high int64
	low  uint64
}

func (s *sum) add(amount int64) { s.plus(sum{amount >> 63, uint64(amount)}) }

func (s *sum) subtract(amount int64) {
	s.plus(sum{^(amount >> 63), ^uint64(amount)})
	s.plus(sum{0, 1})
}

func (s *sum) plus(more sum) {
	var carry uint64
	s.low, carry = bits.Add64(s.low, more.low, 0)
	s.high += more.high + int64(carry)
}

// int64 returns the sum, or the end of the range of 64 bits that it lies beyond.
func (s *sum) int64() int64 {
	switch {
	case s.high == int64(s.low)>>63:
		return int64(s.low)
	case s.high < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

// difference takes amounts from one.
func difference(from int64, amounts ...int64) int64 {
	var s sum
	s.add(from)
	for _, amount := range amounts {
		s.subtract(amount)
	}
	return s.int64()
}

// share returns n/d of an amount, rounded to the nearest, halves away from zero, or the end of the range of 64
// bits that it lies beyond; d is positive.
func share(amount, n, d int64) int64 {
	negative := amount < 0 != (n < 0)
	high, low := bits.Mul64(magnitude(amount), magnitude(n))
	low, carry := bits.Add64(low, uint64(d)/2, 0)
	high += carry
	part := uint64(math.MaxInt64)
	if high < uint64(d) {
		part, _ = bits.Div64(high, low, uint64(d))
		part = min(part, math.MaxInt64)
	}
	if negative {
		return -int64(part)
	}
	return int64(part)
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}
