package studio

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/account/plan"
	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/subscription"
	"github.com/svc-dev/svc/internal/appchange"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/ratelimit"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/postgres/transaction"
	"github.com/svc-dev/svc/studio/media"
)

// Delivery is told which apps changed, after the change was committed, and
// serves it when Refresh returns.
type Delivery interface {
	Refresh(ctx context.Context, apps ...uuid.UUID) error
	// Preview returns the document of what no channel serves yet; nil when the app does not exist any more.
	Preview(ctx context.Context, tenant *delivery.Tenant, p delivery.Preview) (*delivery.Body, error)
	// Explain says what a channel serves and why; nil for a channel that is not delivered.
	Explain(publicID, appUserID string) *delivery.Explanation
}

// Options are the settings of the studio.
type Options struct {
	// Delivery is this server's catalogue; nil when the process serves no SDKs.
	Delivery Delivery
	// Media keeps uploaded files; nil refuses uploads.
	Media media.Store
	// MediaStorage is how many bytes of media a workspace may have; 0 is no bound.
	MediaStorage int64
	// Privacy erases people; nil where nobody is erased.
	Privacy Privacy
	// Books and Ring keep connections of billing providers and their secrets; nil where none deliver.
	Books Books
	// Webhooks answers their deliveries; nil where none deliver.
	Webhooks Webhooks
	Ring     *seal.Ring
	// Automations are told of purchases; nil where there are none.
	Automations Automations
	// Notifications is where edits of other servers are heard of; nil means that drafts are asked for them.
	Notifications *pgxpool.Pool
	Logger        *slog.Logger     // nil means slog.Default()
	Now           func() time.Time // nil means time.Now
}

// Automations do what follows from a purchase, in the transaction that records it.
type Automations interface {
	Recorded(ctx context.Context, tx automation.Execer, facts ...automation.Fact) error
}

// Studio are the use cases of this package.
type Studio struct {
	client   *ent.Client
	delivery Delivery
	media    media.Store
	// mediaStorage is how many bytes of media a workspace may have; 0 is no bound.
	mediaStorage int64
	privacy      Privacy
	books        Books
	webhooks     Webhooks
	ring         *seal.Ring
	// automations are nil where there are none.
	automations Automations
	logger      *slog.Logger
	now         func() time.Time
	signing     signingKey // of preview links
	drafts      *openDrafts
	feed        *draftFeed
	edits       *ratelimit.Limiter // batches of clients
	// imports has a place for each file that is being imported.
	imports chan struct{}
	// announcements are those of people.
	announcements *ratelimit.Limiter
}

// New makes a studio on the control plane's tables.
func New(client *ent.Client, options Options) *Studio {
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	s := &Studio{
		client: client, delivery: options.Delivery, media: options.Media, privacy: options.Privacy,
		mediaStorage: options.MediaStorage, automations: options.Automations, books: options.Books,
		webhooks: options.Webhooks, ring: options.Ring, logger: options.Logger, now: options.Now,
		drafts: newOpenDrafts(), edits: ratelimit.New(editsPerMinute),
		announcements: ratelimit.New(announcementsPerMinute), imports: make(chan struct{}, maxImports),
	}
	s.feed = &draftFeed{
		pool: options.Notifications, read: s.readNews, logger: options.Logger, followed: map[uuid.UUID]*followedDraft{},
	}
	return s
}

// record is one audit entry to be: what was done to what.
type record struct {
	workspace       uuid.UUID
	action, subject string
	detail          map[string]any
}

// transact runs work and its audit entry in one transaction, which a dry run does not commit.
func (s *Studio) transact(ctx context.Context, entry record, work func(tx *ent.Tx) error) error {
	return transaction.Run(ctx, s.client, func(tx *ent.Tx) error {
		if err := work(tx); err != nil {
			return err
		}
		return account.Record(ctx, tx, entry.workspace, entry.action, entry.subject, entry.detail)
	})
}

// transactAndDeliver transacts what changes an app's delivery: it notifies every
// server inside the transaction, and this server serves the change before it
// returns.
func (s *Studio) transactAndDeliver(
	ctx context.Context, app uuid.UUID, entry record, work func(tx *ent.Tx) error,
) error {
	err := s.transact(ctx, entry, func(tx *ent.Tx) error {
		if err := work(tx); err != nil {
			return err
		}
		return notify(ctx, tx, appchange.Of(app))
	})
	if err != nil || transaction.IsDryRun(ctx) {
		return err
	}
	s.refresh(ctx, app)
	return nil
}

// notify tells every server what changed when the transaction is committed.
func notify(ctx context.Context, tx *ent.Tx, change string) error {
	if _, err := tx.ExecContext(ctx, appchange.NotifySQL, change); err != nil {
		return fmt.Errorf("notify delivery: %w", err)
	}
	return nil
}

// refresh makes this server serve a committed change. The change stands even
// when that fails: the catalogue's follower reads it as soon as it can.
func (s *Studio) refresh(ctx context.Context, app uuid.UUID) {
	if s.delivery == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := s.delivery.Refresh(ctx, app); err != nil {
		s.logger.WarnContext(ctx, "a committed change is not served yet", "app", app, "error", err)
	}
}

// readPlan reads what a workspace's subscription includes.
func readPlan(ctx context.Context, client *ent.SubscriptionClient, workspace uuid.UUID) (plan.Plan, error) {
	sub, err := client.Query().Where(subscription.WorkspaceID(workspace)).WithPlan().Only(ctx)
	if ent.IsNotFound(err) {
		return plan.Of(nil), nil
	}
	if err != nil {
		return plan.Plan{}, fmt.Errorf("read the subscription: %w", err)
	}
	return plan.Of(&plan.Subscription{
		PlanKey: sub.PlanID, Features: sub.Edges.Plan.Features, Limits: sub.Edges.Plan.Limits,
		Status: sub.Status.String(), PastDueSince: sub.PastDueSince,
	}), nil
}

// readError turns ent's not-found into ours and names what was being read
// otherwise.
func readError(err error, what string) error {
	if ent.IsNotFound(err) {
		return fault.Missing(what)
	}
	return fmt.Errorf("read the %s: %w", what, err)
}
