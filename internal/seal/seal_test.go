package seal_test

import (
	"bytes"
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/seal"
)

func key(id string, fill byte) seal.Key {
	return seal.Key{ID: id, Secret: bytes.Repeat([]byte{fill}, seal.KeySize)}
}

func TestASecretIsOpenedWhereItWasSealedAndNowhereElse(t *testing.T) {
	t.Parallel()
	ring, err := seal.NewRing(key("a", 1))
	require.NoError(t, err)
	id, sealed, err := ring.Seal([]byte("whsec_x"), "row 1")
	require.NoError(t, err)
	require.Equal(t, "a", id)
	require.NotContains(t, string(sealed), "whsec_x")
	opened, err := ring.Open(id, sealed, "row 1")
	require.NoError(t, err)
	require.Equal(t, "whsec_x", string(opened))
	_, err = ring.Open(id, sealed, "row 2")
	require.Error(t, err)
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		_, err := ring.Open(id, changed, "row 1")
		require.Error(t, err)
		_, err = ring.Open(id, sealed[:i], "row 1")
		require.Error(t, err)
	}
	_, again, err := ring.Seal([]byte("whsec_x"), "row 1")
	require.NoError(t, err)
	require.NotEqual(t, sealed, again)
}

func TestKeysRotate(t *testing.T) {
	t.Parallel()
	old, err := seal.NewRing(key("a", 1))
	require.NoError(t, err)
	id, sealed, err := old.Seal([]byte("s"), "row")
	require.NoError(t, err)
	both, err := seal.NewRing(key("b", 2), key("a", 1))
	require.NoError(t, err)
	opened, err := both.Open(id, sealed, "row")
	require.NoError(t, err)
	id, sealed, err = both.Seal(opened, "row")
	require.NoError(t, err)
	require.Equal(t, "b", id)
	_, err = old.Open(id, sealed, "row")
	require.ErrorIs(t, err, seal.ErrUnknownKey)
	next, err := seal.NewRing(key("b", 2))
	require.NoError(t, err)
	_, err = next.Open(id, sealed, "row")
	require.NoError(t, err)
}

func TestKeysOfTheSetting(t *testing.T) {
	t.Parallel()
	secret := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))
	keys, err := seal.ParseKeys("b:" + secret + ", a:" + secret + "\n")
	require.NoError(t, err)
	require.Len(t, keys, 2)
	require.Equal(t, "b", keys[0].ID)
	for _, wrong := range []string{secret, ":" + secret, "a:" + secret[:40], "a:?", "a:" + secret + ",a:" + secret} {
		_, err := seal.ParseKeys(wrong)
		require.Error(t, err, wrong)
		require.NotContains(t, err.Error(), secret[:30])
	}
	_, err = seal.NewRing()
	require.Error(t, err)
}
