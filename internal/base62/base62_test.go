package base62

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestWidthHoldsTheLargestNumber(t *testing.T) {
	for n, width := range map[int]int{4: 6, 16: 22, 32: 43} {
		require.Len(t, Random(n), width)
		limit := new(big.Int).Exp(big.NewInt(62), big.NewInt(int64(width)), nil)
		require.Positive(t, limit.Cmp(new(big.Int).SetBytes(bytes.Repeat([]byte{0xff}, n))))
	}
}

func TestEncodeIsBase62(t *testing.T) {
	require.Equal(t, "00000z", Encode([]byte{61}, 6))
	require.Equal(t, "000010", Encode([]byte{62}, 6))
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "data")
		value := new(big.Int)
		for _, c := range []byte(Encode(data, 22)) {
			value.Mul(value, big.NewInt(62)).Add(value, big.NewInt(int64(bytes.IndexByte([]byte(digits), c))))
		}
		require.Zero(t, value.Cmp(new(big.Int).SetBytes(data)))
	})
}
