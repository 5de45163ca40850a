package studio

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/environment"
	entflow "github.com/svc-dev/svc/ent/flow"
	"github.com/svc-dev/svc/ent/flowversion"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/postgres/transaction"
)

// Why a preview link shows nothing.
const (
	// PreviewInvalid is a token that this server's database did not sign, or whose maker may not edit the flow any more.
	PreviewInvalid fault.Code = "preview_invalid"
	PreviewExpired fault.Code = "preview_expired"
	// PreviewNotFound is a flow or version that does not exist any more, is archived, or is another app's than the key;
	// also a key of a live environment, where people use the app.
	PreviewNotFound fault.Code = "preview_not_found"
	// DraftInvalid is a draft that is no valid manifest now; Details has its problems.
	DraftInvalid fault.Code = "draft_invalid"
)

// MaxPreviewHours is the longest that a preview link works.
const MaxPreviewHours = 24

// PreviewLink is the token of a link that shows a flow before a channel serves it.
type PreviewLink struct {
	// Token is the value of the link's parameter svc.preview: letters, digits, "-" and "_".
	Token     string
	ExpiresAt time.Time
}

// CreatePreviewLink signs a link to a version of a flow or, without one, to its draft as it will be when the link is
// opened. It works for so many hours, 1 to 24, as long as its maker may edit the flow.
func (s *Studio) CreatePreviewLink(
	ctx context.Context, flow uuid.UUID, version *uuid.UUID, hours int,
) (*PreviewLink, error) {
	app, f, err := s.findFlow(ctx, flow, account.FlowEdit)
	if err != nil {
		return nil, err
	}
	if hours < 1 || hours > MaxPreviewHours {
		return nil, fault.Invalid("hours", "must be 1 to %d", MaxPreviewHours)
	}
	if f.ArchivedAt != nil {
		return nil, fault.New(fault.Conflict, "the flow is archived")
	}
	p, err := account.From(ctx)
	if err != nil {
		return nil, err
	}
	link := previewToken{app: app.ID, flow: flow, user: p.UserID, expires: s.now().Add(time.Duration(hours) * time.Hour)}
	if version != nil {
		link.version = *version
		known, err := s.client.FlowVersion.Query().Where(flowversion.ID(*version), flowversion.FlowID(flow)).Exist(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the version: %w", err)
		}
		if !known {
			return nil, fault.Missing("flow version")
		}
	}
	if p.KeyID != nil {
		link.key = *p.KeyID
	}
	secret, err := s.signing.read(ctx, s.client)
	if err != nil {
		return nil, err
	}
	detail := map[string]any{"version": version, "hours": hours}
	entry := record{app.WorkspaceID, "flow.preview", flow.String(), detail}
	err = s.transact(ctx, entry, func(*ent.Tx) error { return nil })
	if err != nil {
		return nil, err
	}
	return &PreviewLink{Token: link.sign(secret), ExpiresAt: link.expires.Truncate(time.Second)}, nil
}

// OpenPreview returns the document that a preview link shows to an app of the tenant. Its errors are faults with the
// codes above, and others when something could not be read.
func (s *Studio) OpenPreview(ctx context.Context, tenant *delivery.Tenant, token string) (*delivery.Body, error) {
	secret, err := s.signing.read(ctx, s.client)
	if err != nil {
		return nil, err
	}
	link, ok := openPreviewToken(secret, token)
	notFound := fault.New(PreviewNotFound, "the flow of the preview link is not there any more, or belongs to another app")
	switch {
	case !ok:
		return nil, fault.New(PreviewInvalid, "the preview link is not one that this server made")
	case !s.now().Before(link.expires):
		return nil, fault.New(PreviewExpired, "the preview link has expired: make a new one")
	case link.app != tenant.AppID:
		return nil, notFound
	case tenant.Kind != string(environment.KindTest):
		return nil, fault.New(PreviewNotFound, "preview links open with a key of the test environment only")
	}
	var key *uuid.UUID
	if link.key != uuid.Nil {
		key = &link.key
	}
	allowed, err := account.MakerCan(ctx, s.client, tenant.WorkspaceID, link.user, key, account.FlowEdit)
	if err != nil {
		return nil, err
	}
	if !allowed {
		return nil, fault.New(PreviewInvalid, "whoever made the preview link may not edit the flow any more")
	}
	preview, err := s.readPreview(ctx, link)
	if ent.IsNotFound(err) {
		return nil, notFound
	}
	if err != nil {
		return nil, err
	}
	body, err := s.delivery.Preview(ctx, tenant, *preview)
	if err == nil && body == nil {
		return nil, notFound
	}
	return body, err
}

// readPreview reads what a link shows now. Its error is ent's not-found for what is not there.
func (s *Studio) readPreview(ctx context.Context, link previewToken) (*delivery.Preview, error) {
	flow, err := s.client.Flow.Query().
		Where(entflow.ID(link.flow), entflow.AppID(link.app), entflow.ArchivedAtIsNil()).
		Select(flowColumns...).Only(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the flow: %w", err)
	}
	preview := &delivery.Preview{FlowID: flow.ID, VersionID: link.version, Number: 1}
	if link.version != uuid.Nil {
		version, err := s.client.FlowVersion.Query().
			Where(flowversion.ID(link.version), flowversion.FlowID(flow.ID)).Only(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the version: %w", err)
		}
		preview.Number = version.Number
		if preview.Manifest, err = manifest.Open(version.Manifest); err != nil {
			return nil, fmt.Errorf("open version %s: %w", version.ID, err)
		}
		return preview, nil
	}
	latest, err := s.client.FlowVersion.Query().Where(flowversion.FlowID(flow.ID)).
		Order(flowversion.ByNumber(descending)).Select(flowversion.FieldNumber).First(ctx)
	switch {
	case err == nil:
		preview.Number = latest.Number + 1
	case !ent.IsNotFound(err):
		return nil, fmt.Errorf("read the latest version: %w", err)
	}
	draft, err := s.ReadDraft(ctx, flow.ID)
	if err != nil {
		return nil, err
	}
	parsed, problems := manifest.Parse(draft)
	if parsed == nil {
		return nil, rejectManifest(DraftInvalid, "", "the draft is not valid now", problems)
	}
	preview.Manifest = parsed
	return preview, nil
}

// previewToken is what a preview link says: 89 bytes, and behind them their HMAC-SHA256. Ids that it does not have
// are zero.
type previewToken struct {
	app, flow, version, user, key uuid.UUID
	expires                       time.Time
}

const (
	previewFormat  = 1
	previewPayload = 1 + 5*len(uuid.UUID{}) + 8
)

// previewLength is the length of a token, which has no padding.
var previewLength = base64.RawURLEncoding.EncodedLen(previewPayload + sha256.Size)

func (t previewToken) sign(secret []byte) string {
	text := make([]byte, 0, previewPayload+sha256.Size)
	text = append(text, previewFormat)
	for _, id := range []uuid.UUID{t.app, t.flow, t.version, t.user, t.key} {
		text = append(text, id[:]...)
	}
	text = binary.BigEndian.AppendUint64(text, uint64(t.expires.Unix()))
	return base64.RawURLEncoding.EncodeToString(append(text, macOf(secret, text)...))
}

// openPreviewToken reads a token that the secret has signed.
func openPreviewToken(secret []byte, token string) (t previewToken, ok bool) {
	if len(token) != previewLength {
		return t, false
	}
	text, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(text) != previewPayload+sha256.Size {
		return t, false
	}
	text, mac := text[:previewPayload], text[previewPayload:]
	if !hmac.Equal(mac, macOf(secret, text)) || text[0] != previewFormat {
		return t, false
	}
	rest := text[1:]
	for _, id := range []*uuid.UUID{&t.app, &t.flow, &t.version, &t.user, &t.key} {
		rest = rest[copy(id[:], rest):]
	}
	t.expires = time.Unix(int64(binary.BigEndian.Uint64(rest)), 0)
	return t, true
}

func macOf(secret, text []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write(text)
	return mac.Sum(nil)
}

// signingKey is the secret of preview links. It never changes once it is there, so it is read once.
type signingKey struct{ secret atomic.Pointer[[]byte] }

// read returns the secret that all servers of the database share, and makes it when there is none. Requests that need
// it before anybody has read it read it side by side: none waits longer than its own context allows.
func (k *signingKey) read(ctx context.Context, client *ent.Client) ([]byte, error) {
	if known := k.secret.Load(); known != nil {
		return *known, nil
	}
	fresh := make([]byte, sha256.Size)
	if _, err := rand.Read(fresh); err != nil {
		return nil, fmt.Errorf("make the key of preview links: %w", err)
	}
	var secret []byte
	err := transaction.Run(ctx, client, func(tx *ent.Tx) error {
		// Of two servers that start at once the second takes what the first has stored.
		_, err := tx.ExecContext(
			ctx, `insert into signing_keys (purpose, secret) values ('preview', $1) on conflict do nothing`, fresh,
		)
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `select secret from signing_keys where purpose = 'preview'`)
		if err != nil {
			return err
		}
		defer rows.Close()
		if !rows.Next() {
			return fmt.Errorf("it is not there: %w", rows.Err())
		}
		return rows.Scan(&secret)
	})
	if err != nil {
		return nil, fmt.Errorf("read the key of preview links: %w", err)
	}
	k.secret.Store(&secret)
	return secret, nil
}
