package people

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/internal/fault"
)

// Person is somebody whom an app identified, or of whom only a device is known.
type Person struct {
	EnvironmentID int64
	ID            uuid.UUID // zero for a device that nobody identified
	CustomUserID  string
	Email         string
	FirstName     string
	LastName      string
	Phone         string
	Locale        string
	Country       string // two upper-case letters
	Timezone      string // an IANA name
	// Attributes are flat: texts, numbers, booleans.
	Attributes map[string]json.RawMessage

	MarketingConsent Consent
	// MarketingConsentAt is when the app last said so; nil while it never did.
	MarketingConsentAt *time.Time
	// TopicConsents are by topic.
	TopicConsents []TopicConsent
	// Devices are the latest to be linked, at most [MaxDevices].
	Devices []Device

	// CreatedAt is when the person was first identified, IdentifiedAt when last; nil for a device that nobody identified.
	CreatedAt, IdentifiedAt *time.Time

	group *group // with whom the person was read, at which place
	place int
}

// TopicConsent is what a person agreed to about a topic, and when.
type TopicConsent struct {
	Topic   string
	Consent Consent
	At      time.Time
}

// Device is an app user id that a person uses.
type Device struct {
	AppUserID string
	LinkedAt  time.Time
}

// ConsentChange is an entry of a person's consent log.
type ConsentChange struct {
	At        time.Time
	Topic     string // empty is marketing by e-mail
	Consent   Consent
	AppUserID string // the device that said so
}

const (
	// MaxDevices is how many devices a person is read with.
	MaxDevices = 100
	// MaxConsentLog is how many changes of consents are kept of a person, the latest.
	MaxConsentLog = 1000
	// maxFound is how many people a search finds by each of an id, an address and a device.
	maxFound = 1000
	// maxSearch is the longest text that is looked for, in bytes: longer than any id or address.
	maxSearch = 1024
)

// columns are those of a person p, for scanPerson, with [MaxDevices] devices.
const columns = `p.environment_id, p.id, p.custom_user_id, p.email, p.first_name, p.last_name, p.phone, p.locale,
	p.country, p.timezone, p.attributes, p.marketing_consent, p.marketing_consent_at, p.topic_consents,
	(select coalesce(jsonb_agg(jsonb_build_object('AppUserID', d.app_user_id, 'LinkedAt', d.linked_at)
		order by d.linked_at desc, d.app_user_id), '[]')
		from (select app_user_id, linked_at from person_device d
			where (d.environment_id, d.person_id) = (p.environment_id, p.id)
			order by linked_at desc, app_user_id limit 100) d),
	p.created_at, p.identified_at`

func scanPerson(row pgx.CollectableRow) (*Person, error) {
	var p Person
	var topics map[string]topicConsent
	err := row.Scan(&p.EnvironmentID, &p.ID, &p.CustomUserID, &p.Email, &p.FirstName, &p.LastName, &p.Phone, &p.Locale,
		&p.Country, &p.Timezone, &p.Attributes, &p.MarketingConsent, &p.MarketingConsentAt, &topics, &p.Devices,
		&p.CreatedAt, &p.IdentifiedAt)
	for _, topic := range sortedKeys(topics) {
		p.TopicConsents = append(p.TopicConsents, TopicConsent{topic, topics[topic].Consent, topics[topic].At})
	}
	return &p, err
}

// Find returns the person who uses a device, or who has a custom user id; exactly one is set. A device that sent events
// and that nobody identified is a person with that device only. Nil is nobody.
func (p *Store) Find(ctx context.Context, environmentID int64, appUserID, customUserID string) (*Person, error) {
	condition, value := `p.custom_user_id = $2`, customUserID
	switch {
	case (appUserID == "") == (customUserID == ""):
		return nil, fault.Invalid("appUserId", "name the person by appUserId or by customUserId")
	case strings.ContainsRune(appUserID+customUserID, 0):
		return nil, nil // PostgreSQL knows no text with NUL
	case appUserID != "":
		condition = `p.id = (select person_id from person_device where environment_id = $1 and app_user_id = $2)`
		value = appUserID
	}
	rows, err := p.pool.Query(
		ctx, `select `+columns+` from person p where p.environment_id = $1 and `+condition, environmentID, value,
	)
	if err != nil {
		return nil, fmt.Errorf("find a person: %w", err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, scanPerson)
	switch {
	case err == nil:
		together(found)
		return found, nil
	case !errors.Is(err, pgx.ErrNoRows):
		return nil, fmt.Errorf("find a person: %w", err)
	case appUserID == "":
		return nil, nil
	}
	var seen time.Time
	var custom string
	err = p.pool.QueryRow(ctx, `
		select first_seen_at, custom_user_id from product_analytics_first_touch where environment_id = $1 and app_user_id = $2
		union all
		select min(first_at), '' from flow_run where environment_id = $1 and app_user_id = $2 having count(*) > 0
		limit 1`, environmentID, appUserID).Scan(&seen, &custom)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find a device: %w", err)
	}
	device := &Person{
		EnvironmentID: environmentID, CustomUserID: custom, MarketingConsent: Unknown,
		Devices: []Device{{appUserID, seen}},
	}
	together(device)
	return device, nil
}

// ConsentLog returns the latest changes of a person's consents, newest first.
func (p *Store) ConsentLog(
	ctx context.Context, environmentID int64, person uuid.UUID, limit int,
) ([]ConsentChange, error) {
	rows, err := p.pool.Query(ctx, `
		select at, topic, consent, app_user_id from person_consent where environment_id = $1 and person_id = $2
		order by id desc limit $3`, environmentID, person, limit)
	if err != nil {
		return nil, fmt.Errorf("read a consent log: %w", err)
	}
	changes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[ConsentChange])
	if err != nil {
		return nil, fmt.Errorf("read a consent log: %w", err)
	}
	return changes, nil
}

// Place is a person's place in a list.
type Place struct {
	CreatedAt time.Time
	ID        uuid.UUID
}

// everybody are the people of $1. $2 and $3 are as in matching.
const everybody = ` from person p where p.environment_id = $1 and $2::text = '' and $3::int > 0`

// matching are the people of $1 whose custom user id, address or device begins with $2, found by the first $3 of each.
const matching = ` from person p where p.environment_id = $1 and p.id in (
		(select id from person where environment_id = $1 and custom_user_id <> ''
			and custom_user_id collate "C" >= $2 and custom_user_id collate "C" < $2 || U&'\+10FFFF' limit $3)
		union (select id from person where environment_id = $1 and email <> ''
			and lower(email) collate "C" >= lower($2) and lower(email) collate "C" < lower($2) || U&'\+10FFFF' limit $3)
		union (select person_id from person_device where environment_id = $1
			and app_user_id collate "C" >= $2 and app_user_id collate "C" < $2 || U&'\+10FFFF' limit $3))`

// from returns the people that a search finds; empty finds everybody.
func from(search string) (sql string, err error) {
	switch {
	case len(search) > maxSearch || strings.ContainsRune(search, 0):
		return "", fault.Invalid("search", "is longer than any id or address, or has a NUL")
	case search == "":
		return everybody, nil
	}
	return matching, nil
}

// List returns people whom the app identified, the newest first, after a place (nil for the first). Search keeps those
// whose custom user id, e-mail address, whatever its case, or app user id begins with it.
func (p *Store) List(
	ctx context.Context, environmentID int64, search string, after *Place, limit int,
) ([]*Person, error) {
	source, err := from(search)
	if err != nil {
		return nil, err
	}
	args, behind := []any{environmentID, search, maxFound, limit}, ``
	if after != nil {
		args, behind = append(args, after.CreatedAt, after.ID), ` and (p.created_at, p.id) < ($5, $6)`
	}
	rows, err := p.pool.Query(
		ctx, `select `+columns+source+behind+` order by p.created_at desc, p.id desc limit $4`, args...,
	)
	if err != nil {
		return nil, fmt.Errorf("list people: %w", err)
	}
	people, err := pgx.CollectRows(rows, scanPerson)
	if err != nil {
		return nil, fmt.Errorf("list people: %w", err)
	}
	together(people...)
	return people, nil
}

// Count returns how many people List has in all.
func (p *Store) Count(ctx context.Context, environmentID int64, search string) (count int, err error) {
	source, err := from(search)
	if err != nil {
		return 0, err
	}
	err = p.pool.QueryRow(ctx, `select count(*)`+source, environmentID, search, maxFound).Scan(&count)
	if err != nil {
		return 0, fmt.Errorf("count people: %w", err)
	}
	return count, nil
}
