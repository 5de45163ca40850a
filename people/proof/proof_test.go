package proof_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/people/proof"
)

// Servers of apps sign in any language: what they make is held to the same vectors.
func TestProofsAreThoseOfTheVectors(t *testing.T) {
	raw, err := os.ReadFile("../../sdk/vectors/identity-proof.json")
	require.NoError(t, err)
	var vectors []struct{ Secret, CustomUserID, Proof string }
	require.NoError(t, json.Unmarshal(raw, &vectors))
	require.NotEmpty(t, vectors)
	for _, v := range vectors {
		secret, err := proof.ParseSecret(v.Secret)
		require.NoError(t, err)
		require.Equal(t, v.Proof, secret.Sign(v.CustomUserID), v.CustomUserID)
		for _, other := range vectors {
			same := other.Secret == v.Secret && other.CustomUserID == v.CustomUserID
			got := proof.Rule{Secrets: []proof.Secret{secret}}.Check(v.CustomUserID, other.Proof)
			require.Equal(t, same, got == proof.Proved, "%q with the proof of %q", v.CustomUserID, other.CustomUserID)
		}
	}
}

func TestOnlyTheProofItselfProves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.OneOf(rapid.String(), rapid.StringMatching(`[0-9]{1,4}`))
		now, before, gone := proof.NewSecret(), proof.NewSecret(), proof.NewSecret()
		rule := proof.Rule{Mode: proof.Required, Secrets: []proof.Secret{now, before}}
		id, other := ids.Draw(t, "id"), ids.Draw(t, "other")
		signed := rapid.SampledFrom([]proof.Secret{now, before}).Draw(t, "secret").Sign(id)
		wanted := proof.Proved
		if id == "" { // names nobody, whatever proves it
			wanted = proof.Missing
		}
		require.Equal(t, wanted, rule.Check(id, signed))
		require.Equal(t, proof.Missing, rule.Check(id, ""))
		for _, wrong := range []string{
			gone.Sign(id), strings.ToUpper(signed) + " ", " " + signed, signed + "0", signed[:63], signed + "\x00", "0", id,
			now.String(), strings.Repeat("f", 1<<16),
		} {
			require.NotEqual(t, proof.Proved, rule.Check(id, wrong), wrong)
		}
		if other != id {
			require.NotEqual(t, proof.Proved, rule.Check(other, signed))
		}
		require.NotEqual(t, proof.Proved, proof.Rule{Mode: proof.Required}.Check(id, signed), "without a secret nothing proves")
	})
}

func TestASecretIsEncryptedForItsRow(t *testing.T) {
	ring, err := seal.NewRing(seal.Key{ID: "k", Secret: make([]byte, seal.KeySize)})
	require.NoError(t, err)
	secret, row := proof.NewSecret(), uuid.New()
	require.NotEqual(t, secret, proof.NewSecret())
	keyID, sealed, err := secret.Seal(ring, row)
	require.NoError(t, err)
	require.NotContains(t, string(sealed), secret.String())
	opened, err := proof.Open(ring, keyID, sealed, row)
	require.NoError(t, err)
	require.Equal(t, secret, opened)
	_, err = proof.Open(ring, keyID, sealed, uuid.New())
	require.Error(t, err, "another row's")
	for _, text := range []string{"", "svc_ids_", "svc_ids_short", "whsec_" + secret.String()} {
		_, err := proof.ParseSecret(text)
		require.Error(t, err, text)
	}
}
