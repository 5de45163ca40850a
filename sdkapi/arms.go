package sdkapi

import (
	"context"
	"net/http"

	"github.com/svc-dev/svc/delivery"
)

// Arms chooses the arms of experiments that are split by custom user id: the method of sticky.Keeper. It may ask the
// database, but answers in any case.
type Arms interface {
	Choose(ctx context.Context, of *delivery.Split, appUserID, customUserID string) int
}

// answerTo returns what a channel serves to a person, who is noted when an experiment gives them an arm. customUserID
// is "" unless it is believed. A forced variant is for trying things out: it serves nobody.
func (a *API) answerTo(
	c *call, channel *delivery.Channel, request *resolveRequest, customUserID string,
) (*delivery.Answer, delivery.Condition) {
	if request.Variant != "" {
		return channel.Resolve(request.AppUserID, request.Variant)
	}
	if split := channel.Split(); split != nil && a.stores.Arms != nil {
		arm := a.stores.Arms.Choose(c.request.Context(), split, request.AppUserID, customUserID)
		return channel.ResolveArm(arm)
	}
	answer, condition := channel.Resolve(request.AppUserID, "")
	if condition == "" {
		a.noteServed(answer, request.AppUserID)
	}
	return answer, condition
}

// believedID returns the custom user id of a resolve, "" for none. One that is not believed is absent, and the answer
// says so.
func (a *API) believedID(w http.ResponseWriter, c *call, request *resolveRequest) string {
	if request.CustomUserID == "" || !c.environment.Proof.Counts() {
		return request.CustomUserID
	}
	named := naming{api: a, call: c}
	if !named.believes(request.CustomUserID, request.Proof) {
		w.Header().Set(unprovedHeader, "true")
		return ""
	}
	return request.CustomUserID
}
