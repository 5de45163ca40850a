package sdkapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/revenue"
)

// maxAttributionSize is what attribution may have in UTF-16 code units, as in an event.
const maxAttributionSize = 32768

// Payments keeps checkout attempts and billing identities: the methods of
// revenue.Ledger.
type Payments interface {
	LinkIdentity(ctx context.Context, identity revenue.BillingIdentity) error
	CreateAttempt(ctx context.Context, attempt revenue.NewAttempt) (revenue.Attempt, error)
	Attempt(ctx context.Context, key revenue.AttemptKey) (revenue.Attempt, error)
	CancelAttempt(ctx context.Context, key revenue.AttemptKey) (revenue.Attempt, error)
}

// billingBody is the body of /v1/sdk/billing-identities.
type billingBody struct {
	AppUserID  string `json:"appUserId" validate:"required,utf16max=200"`
	Provider   string `json:"provider" validate:"oneof=revenuecat superwall"`
	ExternalID string `json:"externalId" validate:"required,utf16max=256"`
}

func (a *API) billingIdentity(w http.ResponseWriter, c *call) *Error {
	var body billingBody
	if refusal := c.decodeRecord(&body); refusal != nil {
		return refusal
	}
	if refusal := checkTags(&body); refusal != nil {
		return refusal
	}
	if refusal := a.keep(c, func(ctx context.Context) error {
		return a.stores.Payments.LinkIdentity(ctx, revenue.BillingIdentity{
			EnvironmentID: c.environment.ID, AppUserID: body.AppUserID, Provider: body.Provider, ExternalID: body.ExternalID,
		})
	}); refusal != nil {
		return refusal
	}
	writeJSON(w, http.StatusOK, struct {
		AppUserID string `json:"appUserId"`
		Provider  string `json:"provider"`
	}{body.AppUserID, body.Provider})
	return nil
}

// attemptBody is the body that opens a checkout attempt. A link has the limit of the manifest it stands in.
type attemptBody struct {
	ChannelID      *string         `json:"channelId" validate:"omitnil,utf16max=128"`
	FlowID         string          `json:"flowId"`
	VersionID      string          `json:"versionId"`
	ExperimentID   *string         `json:"experimentId"`
	VariantID      *string         `json:"variantId" validate:"omitnil,utf16max=128"`
	SurfaceID      string          `json:"surfaceId" validate:"required,utf16max=128"`
	AppUserID      string          `json:"appUserId" validate:"required,utf16max=256"`
	PaymentLinkURL string          `json:"paymentLinkUrl" validate:"required,utf16max=2048"`
	Attribution    json.RawMessage `json:"attribution"`
}

// attempt checks the body and reads it as an attempt on a channel.
func (b *attemptBody) attempt(channel string) (revenue.NewAttempt, *Error) {
	var check fieldCheck
	attempt := revenue.NewAttempt{AppUserID: b.AppUserID, SurfaceID: b.SurfaceID, PaymentLinkURL: b.PaymentLinkURL}
	check.tags(b)
	if b.ChannelID != nil && *b.ChannelID != channel {
		check.fail("/channelId", "mismatch", "channelId is not the channel of the header X-Svc-Channel")
	}
	attempt.FlowID = check.uuid("/flowId", b.FlowID)
	attempt.VersionID = check.uuid("/versionId", b.VersionID)
	if b.ExperimentID != nil {
		id := check.uuid("/experimentId", *b.ExperimentID)
		attempt.ExperimentID = &id
	}
	if b.VariantID != nil {
		attempt.VariantID = *b.VariantID
	}
	if b.PaymentLinkURL != "" && !manifest.IsPaymentLink(b.PaymentLinkURL) {
		check.fail("/paymentLinkUrl", "invalid", "paymentLinkUrl must be an https: address on stripe.com")
	}
	attempt.Attribution = check.flatObject("/attribution", b.Attribution, maxAttributionSize)
	return attempt, check.result()
}

func (a *API) createAttempt(w http.ResponseWriter, c *call) *Error {
	var body attemptBody
	if refusal := c.decodeRecord(&body); refusal != nil {
		return refusal
	}
	opening, refusal := body.attempt(c.channel.PublicID)
	if refusal != nil {
		return refusal
	}
	opening.EnvironmentID, opening.ChannelID = c.environment.ID, c.channel.ID
	var opened revenue.Attempt
	if refusal := a.keep(c, func(ctx context.Context) (err error) {
		opened, err = a.stores.Payments.CreateAttempt(ctx, opening)
		return err
	}); refusal != nil {
		return refusal
	}
	writeJSON(w, http.StatusOK, struct {
		AttemptID string `json:"attemptId"`
		ExpiresAt string `json:"expiresAt"`
	}{opened.ID.String(), opened.ExpiresAt.UTC().Format("2006-01-02T15:04:05.000Z")})
	return nil
}

func (a *API) readAttempt(w http.ResponseWriter, c *call) *Error {
	return a.answerAttempt(w, c, a.stores.Payments.Attempt)
}

// cancelAttempt reads no body: the path says everything.
func (a *API) cancelAttempt(w http.ResponseWriter, c *call) *Error {
	return a.answerAttempt(w, c, a.stores.Payments.CancelAttempt)
}

func (a *API) answerAttempt(
	w http.ResponseWriter, c *call, ask func(context.Context, revenue.AttemptKey) (revenue.Attempt, error),
) *Error {
	id, ok := parseUUID(c.request.PathValue("attemptId"))
	if !ok {
		return attemptNotFound()
	}
	var attempt revenue.Attempt
	missing := false
	if refusal := a.keep(c, func(ctx context.Context) (err error) {
		attempt, err = ask(ctx, revenue.AttemptKey{EnvironmentID: c.environment.ID, ChannelID: c.channel.ID, ID: id})
		if missing = errors.Is(err, revenue.ErrAttemptNotFound); missing {
			return nil
		}
		return err
	}); refusal != nil {
		return refusal
	}
	if missing {
		return attemptNotFound()
	}
	writeJSON(w, http.StatusOK, struct {
		AttemptID string         `json:"attemptId"`
		Status    revenue.Status `json:"status"`
	}{attempt.ID.String(), attempt.Status})
	return nil
}

func attemptNotFound() *Error {
	return &Error{
		Status: http.StatusNotFound, Code: codeAttemptNotFound,
		Message: "the channel has no checkout attempt with this id",
	}
}
