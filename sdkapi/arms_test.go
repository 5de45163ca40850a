package sdkapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/delivery/sticky"
	"github.com/svc-dev/svc/people/proof"
	"github.com/svc-dev/svc/sdkapi"
)

// asked counts the questions to a keeper.
type asked struct {
	*sticky.Keeper
	times int
}

func (a *asked) Choose(ctx context.Context, of *delivery.Split, appUserID, customUserID string) int {
	a.times++
	return a.Keeper.Choose(ctx, of, appUserID, customUserID)
}

// noted are the arms that were noted as served.
type noted []*delivery.Arm

func (n *noted) Note(arm *delivery.Arm, _ string) { *n = append(*n, arm) }

// An experiment that is split by custom user id gives a person who signs in the arm that was served first, on both
// paths and on every device. An id that is not believed is absent, and a forced variant changes nothing.
func TestResolveSplitsByCustomUserID(t *testing.T) {
	w := newProving(t)
	keeper, served := &asked{Keeper: sticky.New(w.pool, sticky.Options{})}, &noted{}
	stores := w.stores()
	stores.Proofs, stores.Arms, stores.Served = w.counted, keeper, served
	w.server.Config.Handler = sdkapi.New(w.catalogue, stores, sdkapi.Config{}).Handler()
	of := func(arm int, prefix string) string {
		for i := 0; ; i++ {
			if id := fmt.Sprint(prefix, i); w.experiment.Expected(id).Key == w.experiment.Arms[arm].Key {
				return id
			}
		}
	}
	phone, laptop, zoe := of(0, "phone"), of(1, "laptop"), of(1, "zoe")
	variant := func(device, custom, signed, force string) string {
		t.Helper()
		identity := map[string]any{"appUserId": device}
		if custom != "" {
			identity["customUserId"], identity["customUserIdProof"] = custom, signed
		}
		body, err := json.Marshal(map[string]any{"identity": identity, "variantId": force})
		require.NoError(t, err)
		sent := string(body)
		type document struct {
			ChannelID  string
			Experiment *struct{ VariantKey string }
		}
		var one document
		x := w.send("/v1/sdk/resolve", sent, channel(w.running))
		require.Equal(t, http.StatusOK, x.status, "%s", x.body)
		require.NoError(t, json.Unmarshal(x.body, &one))
		var all struct{ Channels []document }
		x = w.send("/v1/sdk/resolve-all", sent)
		require.NoError(t, json.Unmarshal(x.body, &all))
		require.NotEmpty(t, all.Channels)
		for _, other := range all.Channels {
			if other.ChannelID == w.running.PublicID && force == "" {
				require.Equal(t, one.Experiment.VariantKey, other.Experiment.VariantKey)
			}
		}
		return one.Experiment.VariantKey
	}

	require.Equal(t, "a", variant(phone, zoe, "", ""))
	require.Equal(t, "b", variant(laptop, zoe, "", ""), "by device the custom user id changes nothing")
	require.Zero(t, keeper.times, "and the database is not asked")
	before := len(*served)
	require.Positive(t, before)

	w.experiment.SplitByCustomUserID()
	w.refresh()
	require.Equal(t, "b", variant(phone, "", "", "b"), "forced")
	require.Equal(t, "a", variant(phone, "", "", ""))
	require.Equal(t, "a", variant(phone, zoe, "", ""), "who signs in keeps it")
	require.Equal(t, "a", variant(laptop, zoe, "", ""), "on another device too")
	require.Equal(t, "a", variant(laptop, "", "", ""))
	secret, _ := w.secret()
	w.mode(proof.Required)
	tablet := of(1, "tablet")
	require.Equal(t, "b", variant(tablet, zoe, "", ""), "an id without proof is absent")
	require.Equal(t, "b", variant(tablet, zoe, secret.Sign("ben"), ""))
	require.Equal(t, "a", variant(tablet, zoe, secret.Sign(zoe), ""))
	for _, arm := range (*served)[before:] {
		require.NotEqual(t, w.experiment.ID, arm.ExperimentID, "its people are counted by what the keeper remembers")
	}
	people, err := sticky.Count(t.Context(), w.pool, w.app.Live.ID, w.experiment.ID, 2)
	require.NoError(t, err)
	require.Equal(t, []int{1, 0}, people)
}
