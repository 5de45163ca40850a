package studio

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/apikey"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/problem"
)

// PublishRequest is what somebody asked to be published: a draft as it was at a revision.
type PublishRequest struct {
	Revision int `json:"revision"`
	// Label is for the version, and Text says why; both may be empty.
	Label string `json:"label" validate:"utf16max=120"`
	Text  string `json:"text" validate:"utf16max=1000"`
	// UserID is who asked, by themselves or by a key of theirs, which KeyName then names.
	UserID    uuid.UUID `json:"userId"`
	KeyName   string    `json:"keyName"`
	CreatedAt time.Time `json:"createdAt"`
}

// RequestPublish asks the members who may publish a flow to publish its draft, which must be at the revision and pass
// the publish gates, as [Studio.PublishRevision] says. It takes the place of an earlier request; nothing is published.
func (s *Studio) RequestPublish(
	ctx context.Context, id uuid.UUID, revision int, label, text string,
) (flow *ent.Flow, err error) {
	app, named, err := s.findFlow(ctx, id, account.FlowEdit)
	if err != nil {
		return nil, err
	}
	p, err := account.From(ctx)
	if err != nil {
		return nil, err
	}
	request := PublishRequest{
		Revision: revision, Label: strings.TrimSpace(label), Text: strings.TrimSpace(text), UserID: p.UserID,
		CreatedAt: s.now(),
	}
	if err := validate.Input(request); err != nil {
		return nil, err
	}
	err = s.changeDraft(ctx, app, id, func(c *draftChange) error {
		if revision != c.row.revision {
			return staleRevision(c.row.revision, "the draft was changed meanwhile: it is at revision %d, %d is asked for",
				c.row.revision, revision)
		}
		if err := s.checkGates(ctx, c, app, id); err != nil {
			return err
		}
		if p.KeyID != nil {
			key, err := c.tx.APIKey.Query().Where(apikey.ID(*p.KeyID)).Only(ctx)
			if err != nil {
				return fmt.Errorf("read the key: %w", err)
			}
			request.KeyName = key.Name
		}
		stored, err := json.Marshal(request)
		if err != nil {
			return fmt.Errorf("write the request: %w", err)
		}
		flow, err = changeFlow(ctx, c.tx, id, func(u *ent.FlowUpdateOne) { u.SetPublishRequest(stored) })
		if err != nil {
			return err
		}
		if err := notification.PostSQL(ctx, c.tx, requestedNotice(app, named, request, p.Email)); err != nil {
			return err
		}
		return account.Record(ctx, c.tx, app.WorkspaceID, "flow.request_publish", id.String(), map[string]any{
			"revision": revision, "label": request.Label,
		})
	})
	return flow, err
}

// requestedNotice is what members are told of a request; of one for the same revision again they are told no more.
func requestedNotice(app *ent.App, flow *ent.Flow, r PublishRequest, email string) notification.Notification {
	who := notification.Clean(email)
	if r.KeyName != "" {
		who = "The key " + notification.Quote(r.KeyName)
	}
	n := notification.Notification{
		WorkspaceID: app.WorkspaceID, Kind: notification.PublishRequested, Severity: notification.Info,
		Key:   fmt.Sprintf("%s %d", flow.ID, r.Revision),
		Title: "Publishing " + notification.Quote(flow.Name) + " is requested",
		Text:  fmt.Sprintf("%s asks to publish the draft of %s.", who, notification.Quote(app.Name)),
		About: notification.About{AppID: &app.ID, FlowID: &flow.ID},
	}
	if r.Text != "" {
		n.Text = strings.TrimSuffix(n.Text, ".") + ": " + r.Text
	}
	return n
}

// checkGates runs the publish gates on a draft that nobody changes meanwhile.
func (s *Studio) checkGates(ctx context.Context, c *draftChange, app *ent.App, id uuid.UUID) error {
	draft, err := c.text(ctx)
	if err != nil {
		return err
	}
	_, problems, err := s.checkForPublishing(ctx, c.tx, app, &ent.Flow{ID: id, Draft: draft}, 1)
	if err == nil && manifest.Blocking(problems) {
		return blockedBy(draft, problems)
	}
	return err
}

// blockedBy is the error of a draft that does not pass the gates.
func blockedBy(draft json.RawMessage, problems []manifest.Problem) error {
	blocked := fault.New(fault.PublishBlocked, "the draft does not pass the publish gates")
	blocked.Details = map[string]any{"problems": problem.InWords(draft, problems)}
	return blocked
}

// DeclinePublish takes a request away without publishing: who edits the flow may, and who asked for it.
func (s *Studio) DeclinePublish(ctx context.Context, id uuid.UUID) (*ent.Flow, error) {
	app, flow, err := s.findFlow(ctx, id, account.FlowEdit)
	if err != nil {
		return nil, err
	}
	if flow.PublishRequest == nil {
		return flow, nil
	}
	entry := record{app.WorkspaceID, "flow.decline_publish", id.String(), nil}
	err = s.transact(ctx, entry, func(tx *ent.Tx) error {
		flow, err = changeFlow(ctx, tx, id, func(u *ent.FlowUpdateOne) { u.ClearPublishRequest() })
		return err
	})
	return flow, err
}

// PublishRequestOf reads the request of a flow; nil where nothing is asked for. The caller has authorized.
func PublishRequestOf(flow *ent.Flow) (*PublishRequest, error) {
	if len(flow.PublishRequest) == 0 {
		return nil, nil
	}
	var request PublishRequest
	if err := json.Unmarshal(flow.PublishRequest, &request); err != nil {
		return nil, fmt.Errorf("read the request of flow %s: %w", flow.ID, err)
	}
	return &request, nil
}
