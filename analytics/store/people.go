package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/internal/locale"
	"github.com/svc-dev/svc/postgres"
)

const (
	// lookupTime bounds one look for people in the database: longer than counting in all events of a month takes.
	lookupTime = 20 * time.Second
	// maxOtherBytes bounds the memory of people whom a condition names and no product event has shown.
	maxOtherBytes = 64 << 20
)

// errReloaded tells that an environment was loaded anew, which numbers its visitors anew.
var errReloaded = fmt.Errorf("%w: the environment is being loaded anew", analytics.ErrUnavailable)

// People returns the app user ids of a segment's members, as they were at most MembersFor ago: each once, in no order
// that means anything. It is how others than reports ask whom a segment has. The set takes a bit for everybody whom
// product events have shown, and the ids are those of the memory of reports; people whom conditions chose and no
// product event has shown take their ids, of 64 MiB together at most. A segment whose stored id was deleted meanwhile
// is the caller's to look for (studio.Audience).
//
// Errors are analytics.FieldErrors for conditions that cannot be answered within bounds, or wrap
// analytics.ErrUnavailable: then nothing is known of the members, which is not the same as nobody.
func (s *Store) People(
	ctx context.Context, environmentID int64, segment *analytics.Segment, now time.Time,
) (iter.Seq[string], error) {
	view, members, err := s.SegmentView(ctx, environmentID, segment, now)
	if err != nil {
		return nil, err
	}
	return members.IDs(view), nil
}

// withMembers returns a segment with all that engines need to evaluate it for a portion: imported ids, and whom the
// condition of its rules holds for.
func (s *Store) withMembers(
	ctx context.Context, id int64, segment *analytics.Segment, now time.Time,
) (*analytics.Segment, error) {
	segment, err := segment.WithImported(ctx)
	if err != nil || segment == nil {
		return segment, err
	}
	_, segment, err = s.choose(ctx, id, segment, now)
	return segment, err
}

// choose finds for whom the condition of a segment's rules holds. It returns the segment with the answer; people are
// nil without a condition.
func (s *Store) choose(
	ctx context.Context, id int64, segment *analytics.Segment, now time.Time,
) (*report.People, *analytics.Segment, error) {
	if segment.Rules == nil || segment.Rules.Where == nil {
		return nil, segment, nil
	}
	if err := segment.Validate(); err != nil {
		return nil, nil, err
	}
	people, err := s.peopleWho(ctx, id, segment.Rules, now)
	if err != nil {
		return nil, nil, err
	}
	answered := *segment
	answered.Chosen = people.Has
	return people, &answered, nil
}

// peopleWho evaluates the condition of rules.
func (s *Store) peopleWho(
	ctx context.Context, id int64, rules *analytics.SegmentRules, now time.Time,
) (*report.People, error) {
	c := chooser{store: s, id: id, rules: rules, now: now, leaves: map[*analytics.Condition]*report.People{}}
	rules.Where.Leaves(func(leaf *analytics.Condition) {
		if report.AnsweredByFrames(leaf) {
			c.inFrames = append(c.inFrames, leaf)
		} else {
			c.inTables = append(c.inTables, leaf)
		}
	})
	if err := c.askFrames(ctx); err != nil {
		return nil, err
	}
	everybody := report.Seen(c.view)
	withRest := report.HasNegation(rules.Where)
	if len(c.inTables) > 0 || withRest {
		leave, err := s.evaluating.take(ctx, id)
		if err != nil {
			return nil, err
		}
		defer leave()
		ctx = postgres.ForAll(ctx)
	}
	for _, leaf := range c.inTables {
		query, err := queryOf(leaf, rules, now)
		if err != nil {
			return nil, err
		}
		found := report.NoPeople(c.view)
		if err := c.askTables(ctx, query, report.NewTally(found, query.times)); err != nil {
			return nil, err
		}
		c.leaves[leaf] = found
	}
	if withRest {
		// Whom nothing has shown is in no report; who is identified, or is in a condition, is somebody.
		if err := c.askTables(ctx, identified, report.NewTally(everybody, 1)); err != nil {
			return nil, err
		}
		for _, found := range c.leaves {
			everybody.Unite(found)
		}
	}
	return report.Combine(rules.Where, everybody, c.leaves), nil
}

// chooser evaluates one condition.
type chooser struct {
	store              *Store
	id                 int64
	rules              *analytics.SegmentRules
	now                time.Time
	inFrames, inTables []*analytics.Condition
	view               *frame.View // whose numbers all sets have
	leaves             map[*analytics.Condition]*report.People
	otherBytes         int64
}

// askFrames answers what frames hold, and sets the view.
func (c *chooser) askFrames(ctx context.Context) error {
	needs, total := c.needs()
	var err error
	c.view, err = c.store.view(ctx, c.id, needs...)
	switch {
	case errors.Is(err, errBudget) && len(c.inFrames) > 0:
		if c.view, err = c.store.view(ctx, c.id, sessionsIn(c.now.UnixMilli(), c.now.UnixMilli())); err != nil {
			return err
		}
		return c.askPortions(ctx, total, needs)
	case err != nil:
		return err
	}
	for _, leaf := range c.inFrames {
		found := report.NoPeople(c.view)
		c.match(c.view, leaf, found.AddOrdinal)
		c.leaves[leaf] = found
	}
	return nil
}

// needs returns what the conditions look at in frames, and all of its time.
func (c *chooser) needs() (needs []need, total span) {
	now := c.now.UnixMilli()
	sessions, runs := span{now, now}, span{now, now}
	withRuns := false
	for _, leaf := range c.inFrames {
		window := c.windowOf(leaf)
		if leaf.Flow == nil {
			if leaf.Funnel != nil {
				window.to += leaf.Funnel.Funnel.Window().Milliseconds()
			}
			sessions = sessions.with(window)
		}
		if leaf.HasFlow() {
			runs, withRuns = runs.with(window), true
		}
	}
	needs = []need{sessionsIn(sessions.from, sessions.to)}
	if withRuns {
		needs = append(needs, need{frame.Runs, runs})
	}
	return needs, span{min(sessions.from, runs.from), max(sessions.to, runs.to)}
}

// windowOf returns the time that a condition looks at. One that ends now reaches as far ahead as devices may be.
func (c *chooser) windowOf(leaf *analytics.Condition) span {
	start, end := c.rules.WindowOf(leaf, c.now)
	if end.Equal(c.now) {
		end = end.Add(report.ClockSkew)
	}
	return span{start.UnixMilli(), end.UnixMilli()}
}

func (c *chooser) match(view *frame.View, leaf *analytics.Condition, add func(ordinal uint32)) {
	window := c.windowOf(leaf)
	c.store.engine.Match(view, leaf, time.UnixMilli(window.from), time.UnixMilli(window.to), c.now, add)
}

// askPortions answers what frames hold of a time that memory does not hold at once.
func (c *chooser) askPortions(ctx context.Context, total span, needs []need) error {
	leave, err := c.store.evaluating.take(ctx, c.id)
	if err != nil {
		return err
	}
	defer leave()
	ctx, cancel := context.WithCancel(postgres.ForAll(ctx))
	defer cancel()
	scan, err := c.store.newScan(ctx, c.id, total, needs...)
	if err != nil {
		return err
	}
	for _, leaf := range c.inFrames {
		c.leaves[leaf] = report.NoPeople(c.view)
	}
	return scan.Each(ctx, func(portion *frame.View) error {
		for _, leaf := range c.inFrames {
			found := c.leaves[leaf]
			c.match(portion, leaf, func(ordinal uint32) { found.Add(portion.Visitors.ID(ordinal)) })
		}
		return nil
	})
}

// askTables counts whom a query finds.
func (c *chooser) askTables(ctx context.Context, query peopleQuery, found *report.Tally) error {
	limited, cancel := context.WithTimeoutCause(ctx, lookupTime, analytics.Invalid(
		"segment.where", "finding the users of a condition took longer than %s: ask for fewer days or for a rarer event",
		lookupTime))
	defer cancel()
	before := found.OtherBytes()
	rows, err := c.store.pool.Query(limited, query.sql, append([]any{c.id}, query.args...)...)
	if err == nil {
		for err == nil && rows.Next() {
			found.Add(text(rows.RawValues()[0]))
			if c.otherBytes+found.OtherBytes()-before > maxOtherBytes {
				err = analytics.Invalid("segment.where", "is about too many users whom no product event has shown")
			}
		}
		rows.Close()
		err = errors.Join(err, rows.Err())
	}
	found.End()
	c.otherBytes += found.OtherBytes() - before
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return context.Cause(limited)
	}
	if err != nil {
		return fmt.Errorf("finding users: %w", err)
	}
	return nil
}

// peopleQuery finds app user ids of the environment $1: people are those whom it finds often enough.
type peopleQuery struct {
	sql   string
	args  []any // from $2 on
	times int
}

// ofPeople finds the devices of the people for whom a condition holds.
func ofPeople(condition string, args ...any) peopleQuery {
	return peopleQuery{`
		select d.app_user_id from person p
		join person_device d on (d.environment_id, d.person_id) = (p.environment_id, p.id)
		where p.environment_id = $1 and ` + condition, args, 1}
}

// identified finds everybody whom the app identified.
var identified = peopleQuery{`select app_user_id from person_device where environment_id = $1`, nil, 1}

// languageColumn is the language of a person's locale as locale.Language names it.
var languageColumn = func() string {
	code := `lower(split_part(replace(p.locale, '_', '-'), '-', 1))`
	newer, err := json.Marshal(locale.LanguageAliases())
	if err != nil {
		panic(err) // texts by texts
	}
	return `coalesce('` + string(newer) + `'::jsonb ->> ` + code + `, ` + code + `)`
}()

// personColumns are the fields of people that identify sets.
var personColumns = map[analytics.PersonField]string{
	analytics.PersonCustomUserID: `p.custom_user_id`, analytics.PersonEmail: `p.email`,
	analytics.PersonLocale:   `p.locale`,
	analytics.PersonLanguage: languageColumn,
	analytics.PersonCountry:  `p.country`, analytics.PersonTimezone: `p.timezone`,
	analytics.PersonConsent: `p.marketing_consent`,
}

// queryOf returns what finds the people of a condition without parts, its operator taken as positive.
func queryOf(leaf *analytics.Condition, rules *analytics.SegmentRules, now time.Time) (peopleQuery, error) {
	start, end := rules.WindowOf(leaf, now)
	if end.Equal(now) {
		end = end.Add(report.ClockSkew)
	}
	switch {
	case leaf.Person != nil:
		column := personColumns[leaf.Person.Field]
		switch op, _ := leaf.Person.Op.Opposite(); op {
		case analytics.ValueIs:
			return ofPeople(column+` = any($2)`, leaf.Person.Texts), nil
		case analytics.ValueContains:
			return ofPeople(`exists (select from unnest($2::text[]) part where strpos(`+column+`, part) > 0)`,
				leaf.Person.Texts), nil
		}
		return ofPeople(column + ` <> ''`), nil
	case leaf.Attribute != nil:
		condition, args := valueSQL(`p.attributes`, leaf.Attribute, 2)
		return ofPeople(condition, args...), nil
	case leaf.Event != nil:
		return eventQuery(leaf.Event, start, end), nil
	case leaf.Money != nil:
		return moneyQuery(leaf.Money, start, end, now), nil
	}
	return peopleQuery{}, fmt.Errorf("no table answers the condition %+v", leaf)
}

// valueSQL compares a value of a JSON object; its parameters are numbered from first. The operator is taken as
// positive.
func valueSQL(object string, c *analytics.ValueCondition, first int) (sql string, args []any) {
	value := fmt.Sprintf(`%s -> $%d::text`, object, first)
	with := func(condition string, arg any) (string, []any) {
		return fmt.Sprintf(condition, `(`+value+`)`, first+1), []any{c.Key, arg}
	}
	op, _ := c.Op.Opposite()
	switch {
	case op == analytics.ValueExists:
		return fmt.Sprintf(`coalesce(%s ? $%d::text, false)`, object, first), []any{c.Key}
	case op == analytics.ValueContains:
		return with(`exists (
			select from jsonb_array_elements_text(case jsonb_typeof(%[1]s)
				when 'array' then %[1]s when 'string' then jsonb_build_array(%[1]s) else '[]' end) entry,
				unnest($%[2]d::text[]) part where strpos(entry, part) > 0)`, c.Texts)
	case op == analytics.ValueIs && c.Texts != nil:
		return with(`coalesce(%[1]s ?| $%[2]d::text[] and jsonb_typeof(%[1]s) in ('string', 'array'), false)`, c.Texts)
	case op == analytics.ValueIs && c.Flag != nil:
		return with(`coalesce(%s = to_jsonb($%d::boolean), false)`, *c.Flag)
	}
	compare := map[analytics.ValueOperator]string{
		analytics.ValueIs: `=`, analytics.ValueMore: `>`, analytics.ValueAtLeast: `>=`, analytics.ValueLess: `<`,
		analytics.ValueAtMost: `<=`,
	}[op]
	return with(
		`coalesce(jsonb_typeof(%[1]s) = 'number' and %[1]s `+compare+` to_jsonb($%[2]d::float8), false)`, *c.Number,
	)
}

// eventQuery finds who did something, in the events themselves. They are counted as they come: grouped by person, a
// million of them takes the database several times as long, and its disk.
func eventQuery(c *analytics.EventCondition, start, end time.Time) peopleQuery {
	from := `product_event where ` + postgres.DaysOfEvents(`$3::timestamptz`, `$4::timestamptz`) + ` and`
	if c.Source == analytics.TrackEvents {
		from = `track_event where`
	}
	q := peopleQuery{
		`select app_user_id from ` + from + ` environment_id = $1 and name = $2 and occurred_at >= $3
		and occurred_at < $4 and ` + postgres.WithinTime(`$3`, `$4`), []any{c.Name, start, end}, max(c.AtLeast, 1),
	}
	for _, property := range c.Properties {
		condition, args := valueSQL(`properties`, property, len(q.args)+2)
		if _, negated := property.Op.Opposite(); negated {
			condition = `not ` + condition
		}
		q.sql, q.args = q.sql+` and `+condition, append(q.args, args...)
	}
	return q
}

// moneyQuery finds whom the ledger or the periods of subscriptions say something of.
func moneyQuery(c *analytics.MoneyCondition, start, end, now time.Time) peopleQuery {
	ofProducts := ``
	var args []any
	if len(c.Products) > 0 {
		ofProducts, args = ` and product_id = any($2)`, []any{c.Products}
	}
	at := func(condition string, values ...any) peopleQuery {
		numbers := make([]any, len(values))
		for i := range values {
			numbers[i] = len(args) + 2 + i
		}
		return peopleQuery{fmt.Sprintf(condition, numbers...), append(args, values...), 1}
	}
	ledger := `select app_user_id from revenue_ledger where environment_id = $1 and app_user_id <> ''
		and occurred_at >= $%d and occurred_at < $%d` + ofProducts
	switch c.Kind {
	case analytics.MoneyRevenue:
		return at(ledger+` group by app_user_id having sum(amount_micros) >= $%d`,
			start, end, int64(math.Round(*c.USD*1e6)))
	case analytics.MoneyPurchased:
		return at(ledger+` and kind in ('originating', 'renewal') group by app_user_id`, start, end)
	case analytics.MoneyRefunded:
		return at(ledger+` and kind in ('refund', 'chargeback') group by app_user_id`, start, end)
	}
	trial := `<>`
	if c.Kind == analytics.MoneyTrialing {
		trial = `=`
	}
	return at(`select distinct app_user_id from subscription_period where environment_id = $1 and app_user_id <> ''
		and period_type `+trial+` 'trial' and starts_at <= $%[1]d
		and coalesce(ended_at, greatest(ends_at, grace_until)) > $%[1]d`+ofProducts, now)
}
