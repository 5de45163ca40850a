package scalar

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestUSD(t *testing.T) {
	for micros, text := range map[int64]string{
		0: "0", 1: "0.000001", -1: "-0.000001", 990_000: "0.99", 12_345_678: "12.345678", -4_500_000: "-4.5",
		1_000_000: "1", math.MaxInt64: "9223372036854.775807", math.MinInt64: "-9223372036854.775808",
	} {
		require.Equal(t, text, string(AppendUSD(nil, micros)))
	}
	for _, wrong := range []any{
		"", "-", ".", "1.0000001", "abc", "99999999999999", true, nil, "1e", "e3", "1e3.5", "1e-", "--1", "+1", "1.2.3",
		"1_000",
		"1e-07", "1.5e-6", "1e14", "1e99999999999999999999", "1e999999999999", json.Number("1e-999999999999"),
		"9223372036854.775808",
	} {
		_, err := UnmarshalUSD(wrong)
		require.Error(t, err, "%v", wrong)
	}
	for text, want := range map[any]int64{"1.5000000": 1_500_000, json.Number("12.345678"): 12_345_678, int64(3): 3_000_000, 0.1: 100_000, "-2": -2_000_000,
		json.Number("1e-06"): 1, json.Number("1E-6"): 1, json.Number("-2.50e-05"): -25,
		json.Number("1.0000000e+2"): 100_000_000, json.Number("120e-1"): 12_000_000,
		json.Number("0e-999"): 0, json.Number("9.99"): 9_990_000, 1e-06: 1, "-9223372036854.775808": math.MinInt64,
	} {
		got, err := UnmarshalUSD(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// What is written is exactly micros ÷ 10^6, and reads back.
func TestUSDIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		micros := rapid.Int64Range(-9e17, 9e17).Draw(t, "micros")
		text := string(AppendUSD([]byte(nil), micros))
		value, ok := new(big.Rat).SetString(text)
		require.True(t, ok)
		require.Zero(t, value.Cmp(big.NewRat(micros, 1_000_000)))
		require.True(t, json.Valid([]byte(text)))
		back, err := UnmarshalUSD(json.Number(text))
		require.NoError(t, err)
		require.Equal(t, micros, back)
		// However the number is written.
		point := rapid.IntRange(-20, 20).Draw(t, "point")
		back, err = UnmarshalUSD(json.Number(fmt.Sprintf("%de%d", micros, -6)))
		require.NoError(t, err)
		require.Equal(t, micros, back)
		back, err = UnmarshalUSD(
			json.Number(fmt.Sprintf("%d%se%d", micros, strings.Repeat("0", max(0, point)), -6-max(0, point))),
		)
		require.NoError(t, err)
		require.Equal(t, micros, back)
	})
}

func TestTime(t *testing.T) {
	at, err := UnmarshalTime("2026-11-21T10:00:00.123456+02:00")
	require.NoError(t, err)
	var text strings.Builder
	MarshalTime(at).MarshalGQL(&text)
	require.Equal(t, `"2026-11-21T08:00:00.123456Z"`, text.String())
	for _, wrong := range []any{"2026-11-21", "", 3, nil} {
		_, err := UnmarshalTime(wrong)
		require.Error(t, err, "%v", wrong)
	}
}

func TestJSONIsKept(t *testing.T) {
	raw, err := UnmarshalJSON(map[string]any{"a": []any{json.Number("1.50"), "<b>", nil}})
	require.NoError(t, err)
	require.Equal(t, `{"a":[1.50,"<b>",null]}`, string(raw))
	var text strings.Builder
	MarshalJSON(nil).MarshalGQL(&text)
	require.Equal(t, "null", text.String())
}
