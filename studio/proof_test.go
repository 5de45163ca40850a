package studio_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/people/proof"
	"github.com/svc-dev/svc/postgres/transaction"
	"github.com/svc-dev/svc/studio"
)

// A secret comes before a mode that asks for proofs, two prove while one replaces the other, and each environment has
// its own.
func TestIdentitySecretsAreRotated(t *testing.T) {
	w := newWorld(t)
	_, err := w.SetIdentityProof(w.owner, w.app.ID, studio.Live, proof.Required)
	require.ErrorContains(t, err, "make an identity secret first")

	tried, secret, err := w.RotateIdentitySecret(transaction.DryRun(w.owner, true), w.app.ID, studio.Live)
	require.NoError(t, err)
	require.Len(t, tried.Secrets, 1)
	require.Empty(t, secret, "a secret that is not kept is not shown")

	shown := map[string]bool{}
	for _, kept := range []int{1, 2, 2} {
		settings, secret, err := w.RotateIdentitySecret(w.owner, w.app.ID, studio.Live)
		require.NoError(t, err)
		require.Len(t, settings.Secrets, kept)
		require.NotEmpty(t, secret)
		require.False(t, shown[secret], "the secret is a new one")
		shown[secret] = true
	}
	require.Equal(t, proof.Required, made(w.SetIdentityProof(w.owner, w.app.ID, studio.Live, proof.Required))(t).Mode)
	require.Len(t, made(w.RetireIdentitySecret(w.owner, w.app.ID, studio.Live))(t).Secrets, 1)

	envs := w.db.Ent().Environment.Query().Where(environment.KindEQ(studio.Test)).OnlyX(w.owner)
	other := made(w.ReadIdentityProof(w.owner, envs.ID))(t)
	require.Equal(t, proof.Off, other.Mode)
	require.Empty(t, other.Secrets)

	_, _, err = w.RotateIdentitySecret(w.owner, uuid.New(), studio.Live)
	require.Error(t, err, "an app that is not there")
	bare := studio.New(w.db.Ent(), studio.Options{})
	_, _, err = bare.RotateIdentitySecret(w.owner, w.app.ID, studio.Live)
	require.ErrorContains(t, err, "keeps no secrets")
}
