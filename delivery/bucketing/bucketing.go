// Package bucketing assigns people to the arms of experiments (wire.md §3.9). SDKs
// compute the same, so nothing here may change for an experiment that runs.
package bucketing

import "github.com/twmb/murmur3"

// MaxTotalWeight is the largest sum of weights of one experiment: with it
// hash × total stays below 2^53, so that TypeScript computes the same bucket
// without BigInt (wire.md §3.9).
const MaxTotalWeight = 1 << 20

// Hash returns murmur3_x86_32 with seed 0 over the UTF-8 bytes of
// "{experimentID}:{salt}:{appUserID}" (wire.md §3.9).
func Hash(experimentID, salt, appUserID string) uint32 {
	var stack [384]byte // enough for two UUIDs and the longest usual user id
	key := append(stack[:0], experimentID...)
	key = append(key, ':')
	key = append(key, salt...)
	key = append(key, ':')
	key = append(key, appUserID...)
	return murmur3.Sum32(key)
}

// Bucket scales a hash to [0, total). It multiplies in 64 bits and keeps the
// high part, which has no rounding and no modulo bias worth speaking of
// (wire.md §3.9). A total of zero or less has the single bucket 0.
func Bucket(hash uint32, total int) int {
	if total <= 0 {
		return 0
	}
	return int(uint64(hash) * uint64(total) >> 32)
}

// ChooseArm returns the index of the arm a person is in: the first arm, in
// stored order, whose accumulated weight passes the person's bucket. A total
// weight of zero or less gives the first arm; no arms give -1 (wire.md §3.9).
func ChooseArm(experimentID, salt, appUserID string, weights []int) int {
	if len(weights) == 0 {
		return -1
	}
	total := 0
	for _, weight := range weights {
		total += weight
	}
	if total <= 0 {
		return 0
	}
	bucket := Bucket(Hash(experimentID, salt, appUserID), total)
	accumulated := 0
	for i, weight := range weights {
		accumulated += weight
		if bucket < accumulated {
			return i
		}
	}
	return len(weights) - 1
}
