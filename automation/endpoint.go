package automation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/automation/webhook"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
	"github.com/svc-dev/svc/postgres/transaction"
)

// Endpoint is where an environment's webhooks go.
type Endpoint struct {
	ID   uuid.UUID
	Name string
	URL  string
	// Secrets are how many secrets sign: two while they are rotated.
	Secrets int
	// DisabledReason is switched_off, gone or failing; empty for one that is sent to.
	DisabledReason string
	// FailingSince is the first failure after the last success.
	FailingSince *time.Time
	CreatedAt    time.Time
	// Notifications tells whether the workspace's notifications are sent to it as well.
	Notifications bool
	// Pending is how many messages wait to be delivered.
	Pending int
}

// Enabled tells whether messages are sent to the endpoint.
func (e *Endpoint) Enabled() bool { return e.DisabledReason == "" }

// NewSecret is an endpoint with a secret that is shown once; it is empty in a dry run.
type NewSecret struct {
	Endpoint *Endpoint
	Secret   string
}

// maxEndpoints bounds how many endpoints an environment has.
const maxEndpoints = 100

const endpointColumns = `
	select p.id, p.name, p.url, (select count(*) from webhook_endpoint_secret s where s.endpoint_id = p.id),
		p.disabled_reason, p.failing_since, p.created_at, p.notifications,
		(select count(*) from webhook_delivery d where d.endpoint_id = p.id and d.state = 'pending')
	from webhook_endpoint p `

// Endpoints returns the endpoints of an environment by name.
func (a *Automations) Endpoints(ctx context.Context, app uuid.UUID, kind environment.Kind) ([]*Endpoint, error) {
	s, err := a.ofApp(ctx, app, kind, account.EngageRead)
	if err != nil {
		return nil, err
	}
	rows, err := a.db.Pool.Query(ctx, endpointColumns+`where p.environment_id = $1 order by p.name, p.id`, s.environment)
	if err != nil {
		return nil, fmt.Errorf("read endpoints: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToAddrOfStructByPos[Endpoint])
}

// Endpoint returns an endpoint.
func (a *Automations) Endpoint(ctx context.Context, id uuid.UUID) (*Endpoint, error) {
	if _, err := a.ofEndpoint(ctx, id, account.EngageRead); err != nil {
		return nil, err
	}
	return readEndpoint(ctx, a.db.Pool, id)
}

func (a *Automations) ofEndpoint(ctx context.Context, id uuid.UUID, capability account.Capability) (scope, error) {
	return a.authorize(
		ctx, "endpoint", capability, `e.id = (select environment_id from webhook_endpoint where id = $1)`, id,
	)
}

func readEndpoint(ctx context.Context, q queryer, id uuid.UUID) (*Endpoint, error) {
	rows, err := q.Query(ctx, endpointColumns+`where p.id = $1`, id)
	if err != nil {
		return nil, fmt.Errorf("read the endpoint: %w", err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[Endpoint])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.Missing("endpoint")
	}
	return found, err
}

// changeEndpoint changes an endpoint and returns it as it is then.
func (a *Automations) changeEndpoint(
	ctx context.Context, s scope, action string, id uuid.UUID, detail map[string]any, work func(tx pgx.Tx) error,
) (changed *Endpoint, err error) {
	err = a.change(ctx, s, action, id.String(), detail, func(tx pgx.Tx) error {
		if err := work(tx); err != nil {
			return err
		}
		changed, err = readEndpoint(ctx, tx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// show returns a new secret with its endpoint; that of a dry run is never one, and empty.
func show(ctx context.Context, endpoint *Endpoint, secret string, err error) (*NewSecret, error) {
	if err != nil {
		return nil, err
	}
	if transaction.IsDryRun(ctx) {
		secret = ""
	}
	return &NewSecret{endpoint, secret}, nil
}

// CreateEndpoint makes an endpoint with a new secret.
func (a *Automations) CreateEndpoint(
	ctx context.Context, app uuid.UUID, kind environment.Kind, name, url string,
) (*NewSecret, error) {
	s, err := a.ofApp(ctx, app, kind, account.EngageManage)
	if err != nil {
		return nil, err
	}
	if name, err = validate.Name("name", name); err != nil {
		return nil, err
	}
	if err := webhook.CheckURL(url); err != nil {
		return nil, fault.Invalid("url", "%s", err)
	}
	id, secret := uuid.Must(uuid.NewV7()), webhook.NewSecret().String()
	detail := map[string]any{"name": name}
	made, err := a.changeEndpoint(ctx, s, "endpoint.create", id, detail, func(tx pgx.Tx) error {
		n, err := affected(ctx, tx, `
			insert into webhook_endpoint (environment_id, id, name, url) select $1, $2, $3, $4
			where (select count(*) from webhook_endpoint where environment_id = $1) < $5`,
			s.environment, id, name, url, maxEndpoints)
		if err == nil && n == 0 {
			return fault.New(fault.LimitReached, "an environment has at most %d endpoints", maxEndpoints)
		}
		if err != nil {
			return err
		}
		return a.addSecret(ctx, tx, id, secret)
	})
	return show(ctx, made, secret, err)
}

// EndpointChange names what to change of an endpoint; nil leaves a part as it is.
type EndpointChange struct {
	Name    *string
	URL     *string
	Enabled *bool
	// Notifications needs the capability workspace:manage as well.
	Notifications *bool
}

// UpdateEndpoint changes an endpoint. Enabling it clears why it was disabled; what failed meanwhile can be replayed.
// Another URL, or on and off, of one in use needs engage:send as well.
func (a *Automations) UpdateEndpoint(ctx context.Context, id uuid.UUID, change EndpointChange) (*Endpoint, error) {
	s, err := a.ofEndpoint(ctx, id, account.EngageManage)
	if err != nil {
		return nil, err
	}
	if change.Notifications != nil {
		if _, err := account.Authorize(ctx, s.workspace, account.WorkspaceManage); err != nil {
			return nil, err
		}
	}
	if change.Name != nil {
		name, err := validate.Name("name", *change.Name)
		if err != nil {
			return nil, err
		}
		change.Name = &name
	}
	if change.URL != nil {
		if err := webhook.CheckURL(*change.URL); err != nil {
			return nil, fault.Invalid("url", "%s", err)
		}
	}
	return a.changeEndpoint(ctx, s, "endpoint.update", id, nil, func(tx pgx.Tx) error {
		if change.URL != nil || change.Enabled != nil {
			if err := authorizeEndpoint(ctx, tx, s, id, change.URL != nil); err != nil {
				return err
			}
		}
		if _, err := affected(ctx, tx, `
			update webhook_endpoint set name = coalesce($2, name), url = coalesce($3, url),
				notifications = coalesce($4, notifications) where id = $1`,
			id, change.Name, change.URL, change.Notifications); err != nil {
			return err
		}
		if change.Enabled == nil {
			return nil
		}
		if *change.Enabled {
			_, err := affected(
				ctx, tx, `update webhook_endpoint set disabled_reason = '', failing_since = null where id = $1`, id,
			)
			return err
		}
		if _, err := affected(ctx, tx, `
			update webhook_endpoint set disabled_reason = '`+disabledByHand+`' where id = $1 and disabled_reason = ''`,
			id); err != nil {
			return err
		}
		_, err := affected(ctx, tx, failPendingSQL, id)
		return err
	})
}

// RotateSecret gives an endpoint a new secret. Messages are signed with it and with the one before, until RetireSecret.
func (a *Automations) RotateSecret(ctx context.Context, id uuid.UUID) (*NewSecret, error) {
	s, err := a.ofEndpoint(ctx, id, account.EngageManage)
	if err != nil {
		return nil, err
	}
	secret := webhook.NewSecret().String()
	rotated, err := a.changeEndpoint(ctx, s, "endpoint.rotate", id, nil, func(tx pgx.Tx) error {
		if err := authorizeEndpoint(ctx, tx, s, id, false); err != nil {
			return err
		}
		if err := keepNewestSecret(ctx, tx, id); err != nil {
			return err
		}
		return a.addSecret(ctx, tx, id, secret)
	})
	return show(ctx, rotated, secret, err)
}

// RetireSecret ends a rotation: only the newest secret signs from now on.
func (a *Automations) RetireSecret(ctx context.Context, id uuid.UUID) (*Endpoint, error) {
	s, err := a.ofEndpoint(ctx, id, account.EngageManage)
	if err != nil {
		return nil, err
	}
	return a.changeEndpoint(ctx, s, "endpoint.retire_secret", id, nil, func(tx pgx.Tx) error {
		if err := authorizeEndpoint(ctx, tx, s, id, false); err != nil {
			return err
		}
		return keepNewestSecret(ctx, tx, id)
	})
}

// Delivery is a message to an endpoint and what became of it.
type Delivery struct {
	ID            uuid.UUID
	EndpointID    uuid.UUID
	AutomationID  *uuid.UUID // nil of a notification
	Node          string
	AppUserID     string
	Body          string
	State         string
	Attempts      int
	NextAttemptAt *time.Time
	CreatedAt     time.Time
	FinishedAt    *time.Time
	// Log are its attempts, newest first, at most 20.
	Log []*Attempt
}

// WebhookID is the webhook-id of all its attempts.
func (d *Delivery) WebhookID() string { return messageID(d.ID) }

// Attempt is one attempt of a delivery.
type Attempt struct {
	Number int
	At     time.Time
	// Status is the HTTP status of the answer; 0 without one.
	Status int
	Error  string
	// Answer is the beginning of the answer's body, at most 4 kB.
	Answer string
	TookMS int
}

// DeliveryFilter chooses deliveries of an endpoint.
type DeliveryFilter struct {
	// State is pending, delivered or failed; empty means all.
	State string
	// From and To bound the time at which they were made.
	From, To *time.Time
	// Before is the id of the delivery after which the list goes on.
	Before *uuid.UUID
	Limit  int
}

// maxDeliveries is how many deliveries one answer has: of 20 kB, and as many answers of 4 kB as are shown.
const maxDeliveries = 100

// Deliveries returns deliveries of an endpoint, newest first. It is the only answer that names the people.
func (a *Automations) Deliveries(ctx context.Context, endpoint uuid.UUID, f DeliveryFilter) ([]*Delivery, error) {
	s, err := a.ofEndpoint(ctx, endpoint, account.CustomersRead)
	if err != nil {
		return nil, err
	}
	if f.Limit < 1 || f.Limit > maxDeliveries {
		return nil, fault.Invalid("first", "must be from 1 to %d", maxDeliveries)
	}
	rows, err := a.db.Pool.Query(ctx, `
		select id, endpoint_id, automation_id, node, app_user_id, body, state, attempts, next_attempt_at, created_at,
			finished_at
		from webhook_delivery
		where endpoint_id = $1 and ($2 = '' or state = $2) and ($3::timestamptz is null or created_at >= $3)
			and ($4::timestamptz is null or created_at < $4)
			and ($5::uuid is null or (created_at, id) < (
				select created_at, id from webhook_delivery where environment_id = $7 and id = $5))
		order by created_at desc, id desc limit $6`,
		endpoint, f.State, f.From, f.To, f.Before, f.Limit, s.environment)
	if err != nil {
		return nil, fmt.Errorf("read deliveries: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*Delivery, error) {
		d := &Delivery{}
		return d, row.Scan(&d.ID, &d.EndpointID, &d.AutomationID, &d.Node, &d.AppUserID, &d.Body, &d.State, &d.Attempts,
			&d.NextAttemptAt, &d.CreatedAt, &d.FinishedAt)
	})
	if err != nil {
		return nil, fmt.Errorf("read deliveries: %w", err)
	}
	return list, a.readAttempts(ctx, s.environment, list)
}

func (a *Automations) readAttempts(ctx context.Context, environment int64, deliveries []*Delivery) error {
	byID := map[uuid.UUID]*Delivery{}
	ids := make([]uuid.UUID, len(deliveries))
	for i, d := range deliveries {
		ids[i], byID[d.ID] = d.ID, d
		d.Log = []*Attempt{}
	}
	rows, err := a.db.Pool.Query(ctx, `
		select t.delivery_id, t.number, t.at, t.status, t.error, t.answer, t.took_ms
		from unnest($1::uuid[]) as d (id), lateral (
			select * from webhook_attempt where environment_id = $2 and delivery_id = d.id order by number desc limit 20) t`,
		ids, environment)
	if err != nil {
		return fmt.Errorf("read attempts: %w", err)
	}
	var id uuid.UUID
	var t Attempt
	_, err = pgx.ForEachRow(rows, []any{&id, &t.Number, &t.At, &t.Status, &t.Error, &t.Answer, &t.TookMS}, func() error {
		found := t
		byID[id].Log = append(byID[id].Log, &found)
		return nil
	})
	return err
}

// maxReplayed is how many deliveries one call replays.
const maxReplayed = 10_000

// Replay sends deliveries of an endpoint again, with the ids they had: one, or those in a state that were made in a
// range. It returns how many; at most 10,000 at once, oldest first.
func (a *Automations) Replay(
	ctx context.Context, endpoint uuid.UUID, delivery *uuid.UUID, f DeliveryFilter,
) (int, error) {
	s, err := a.ofEndpoint(ctx, endpoint, account.EngageSend)
	if err != nil {
		return 0, err
	}
	if delivery == nil && (f.From == nil || f.To == nil) {
		return 0, fault.Invalid("deliveryId", "name a delivery, or a range by from and to")
	}
	replayed, detail := int64(0), map[string]any{}
	err = a.change(ctx, s, "endpoint.replay", endpoint.String(), detail, func(tx pgx.Tx) error {
		replayed, err = affected(ctx, tx, `
			update webhook_delivery set state = 'pending', failures = 0, next_attempt_at = now(), finished_at = null
			where (environment_id, id) in (
				select environment_id, id from webhook_delivery
				where endpoint_id = $1 and state <> 'pending' and ($2::uuid is null or id = $2)
					and ($3 = '' or state = $3) and ($4::timestamptz is null or created_at >= $4)
					and ($5::timestamptz is null or created_at < $5)
				order by created_at limit $6 for update)`, endpoint, delivery, f.State, f.From, f.To, maxReplayed)
		detail["deliveries"] = replayed
		return err
	})
	return int(replayed), err
}
