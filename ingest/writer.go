package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/svc-dev/svc/internal/bodylimit"
	"github.com/svc-dev/svc/internal/service"
	"github.com/svc-dev/svc/postgres"
)

var (
	// ErrBusy says that the queue is full. The edge answers 503 with
	// Retry-After: clients keep the batch and retry with the same ids.
	ErrBusy = errors.New("ingest: the queue is full")
	// ErrUnavailable says that the store can't take writes, or that the server
	// is shutting down. The edge answers it like ErrBusy.
	ErrUnavailable = errors.New("ingest: the store is not available")
)

// Settings of a Writer. The zero value of a field is its default.
type Settings struct {
	Writers         int           // parallel writers; default 2
	FlushEvents     int           // events a transaction; default 2,000
	FlushDelay      time.Duration // how long an event waits for company; default 5 ms
	FlushTimeout    time.Duration // of one transaction; default 15 s
	QueueEvents     int           // events a writer lets wait before ErrBusy; default 20,000
	QueueBytes      int           // about their size in memory; default 64 MiB
	QueueWait       time.Duration // how long the first of a queue may wait before ErrBusy; default 2 s
	Window          time.Duration // deduplication window and age limit; default 7 days
	SessionHitLimit int           // hits of a session in reports; default 10,000
	RunHitLimit     int           // hits of a run in reports; default 1,000
	// new names and pages, names of flows, and details of a group that an environment may add a UTC day; default 10,000
	NameBudget   int
	StatsEvery   time.Duration // how often counts are written; default 1 s
	StatsTimeout time.Duration // of one write of them, also after the grace of Stop; default 5 s
}

func (s Settings) withDefaults() Settings {
	or := func(v *int, fallback int) {
		if *v <= 0 {
			*v = fallback
		}
	}
	orTime := func(v *time.Duration, fallback time.Duration) {
		if *v <= 0 {
			*v = fallback
		}
	}
	or(&s.Writers, 2)
	or(&s.FlushEvents, 2000)
	or(&s.QueueEvents, 20_000)
	or(&s.QueueBytes, 64<<20)
	or(&s.SessionHitLimit, 10_000)
	or(&s.RunHitLimit, 1000)
	or(&s.NameBudget, 10_000)
	orTime(&s.FlushDelay, 5*time.Millisecond)
	orTime(&s.FlushTimeout, 15*time.Second)
	orTime(&s.QueueWait, 2*time.Second)
	orTime(&s.Window, 7*24*time.Hour)
	orTime(&s.StatsEvery, time.Second)
	orTime(&s.StatsTimeout, 5*time.Second)
	return s
}

// AssignmentVersion derives the assignment version of a flow event that came
// without one, from what the channel served at that time (wire.md §11). False
// means unknown.
type AssignmentVersion func(channelID int64, versionID [16]byte, at time.Time) (int64, bool)

// Deps are what a Writer uses besides the database. All are optional.
type Deps struct {
	Locator           Locator // default NoPlace
	AssignmentVersion AssignmentVersion
	Automations       Automations
	Logger            *slog.Logger     // default slog.Default()
	Now               func() time.Time // default time.Now; of statistics and names
}

// Request is what is known of a request besides its body.
type Request struct {
	EnvironmentID int64
	Test          bool       // the key is of the test environment: headless browsers count as people
	KeepCrawlers  bool       // the app's setting that turns the bot filter off
	ChannelID     int64      // of flow events
	ClientAddr    netip.Addr // used for the place, never stored
	UserAgent     string
	Header        http.Header // for a Locator that trusts a proxy's headers; may be nil
	ReceivedAt    time.Time
	// Prove is that of Rules.
	Prove func(customUserID, proof string) bool
	// Accepted is told whose events are stored, those that were before too, once they are; nil where nobody asks. It may
	// be called after the request has ended, and must not wait.
	Accepted func(appUserID string)
	// Hold is what the request takes of memory: first its body, then the events
	// that were decoded, until they are stored. Nil has no bounds.
	Hold *bodylimit.Hold
}

// Writer stores event batches. It is safe for concurrent use between Start and
// Stop.
type Writer struct {
	db        *postgres.DB
	settings  Settings
	deps      Deps
	log       *slog.Logger
	names     *names // of product hits
	flowNames *names
	details   *details
	densities *densities
	ledger    *ledger
	stats     *stats
	agents    *Agents
	lanes     []*lane

	flushes  service.Loops // end when their lanes are closed and empty
	counting service.Loops
}

// New makes a Writer on db. Call Start before the first batch.
func New(db *postgres.DB, settings Settings, deps Deps) (*Writer, error) {
	if deps.Locator == nil {
		deps.Locator = NoPlace{}
	}
	if deps.Logger == nil {
		deps.Logger = slog.Default()
	}
	if deps.Now == nil {
		deps.Now = time.Now
	}
	agents, err := NewAgents()
	if err != nil {
		return nil, err
	}
	settings = settings.withDefaults()
	w := &Writer{
		db: db, settings: settings, deps: deps, log: deps.Logger, agents: agents,
		names:     newNames(db.Pool, productNames, settings.NameBudget, deps.Now),
		flowNames: newNames(db.Pool, flowNames, settings.NameBudget, deps.Now),
		details:   newDetails(db.Pool, settings.NameBudget, deps.Now),
		densities: newDensities(),
		ledger:    &ledger{window: settings.Window},
		stats:     newStats(db.Pool, deps.Now),
	}
	for range settings.Writers {
		w.lanes = append(w.lanes, newLane(settings))
	}
	return w, nil
}

// Start begins to write. The context does not bound the writing: Stop does.
func (w *Writer) Start(context.Context) error {
	for _, l := range w.lanes {
		w.flushes.Go(func(ctx context.Context) { l.run(ctx, w.flush) })
	}
	w.counting.Every(w.settings.StatsEvery, w.logCounts)
	return nil
}

// Stop takes no more batches, writes what is queued, answers every waiting
// request and writes the counts. When ctx ends first, the rest is given up and
// its requests are answered with ErrUnavailable. It follows Start, and may be
// called again.
func (w *Writer) Stop(ctx context.Context) error {
	for _, l := range w.lanes {
		l.close()
	}
	return errors.Join(w.drain(ctx), w.stopCounting(ctx))
}

// drain waits until the lanes are empty, and ends their work when ctx ends first.
func (w *Writer) drain(ctx context.Context) error {
	late := w.flushes.Wait(ctx)
	// Nothing is left to do, or a flush gives up: both take no time worth bounding.
	stopped := w.flushes.Stop(context.WithoutCancel(ctx))
	if late != nil {
		return fmt.Errorf("ingest stopped before the queue was empty: %w", ctx.Err())
	}
	return stopped
}

// writeCounts adds what was counted to the database. It is not ended by Stop: a
// write that is cut off while it commits would be added again.
func (w *Writer) writeCounts(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.settings.StatsTimeout)
	defer cancel()
	return w.stats.write(ctx)
}

func (w *Writer) logCounts(ctx context.Context) {
	if err := w.writeCounts(ctx); err != nil {
		w.log.Warn("the counts of ingest are kept until they can be written", "error", err)
	}
}

// stopCounting waits for a write of the counts under way and writes the rest,
// whatever became of the queue.
func (w *Writer) stopCounting(ctx context.Context) error {
	return errors.Join(w.counting.Stop(context.WithoutCancel(ctx)), w.writeCounts(ctx))
}

// Queued returns the number of events that wait to be written: a gauge for metrics.
func (w *Writer) Queued() int {
	n := 0
	for _, l := range w.lanes {
		n += l.queued()
	}
	return n
}

// Product stores a body of POST /v1/sdk/analytics/events. The error is an
// *EnvelopeError, ErrBusy or ErrUnavailable (wrapped), or the context's.
// It returns after the commit.
func (w *Writer) Product(ctx context.Context, body []byte, origin Request) (Answer, error) {
	batch, err := decode(ctx, body, origin, w.rules(origin), DecodeProduct)
	return w.storeProduct(ctx, PathProduct, batch, err, origin)
}

// Track stores a body of POST /v1/sdk/track; see Product. One bare event that is
// rejected is an *EnvelopeError with the event's code: those who send one look
// at the status only (analytics.md §1).
func (w *Writer) Track(ctx context.Context, body []byte, origin Request) (Answer, error) {
	batch, err := decode(ctx, body, origin, w.rules(origin), DecodeTrack)
	answer, err := w.storeProduct(ctx, PathTrack, batch, err, origin)
	if err == nil && batch.Bare && len(answer.Rejected) > 0 {
		reject := answer.Rejected[0]
		return Answer{}, &EnvelopeError{Code: reject.Code, Message: reject.Message}
	}
	return answer, err
}

// Flow stores a body of POST /v1/sdk/events for the origin's channel; see
// Product.
func (w *Writer) Flow(ctx context.Context, body []byte, origin Request) (Answer, error) {
	batch, err := decode(ctx, body, origin, w.rules(origin), DecodeFlow)
	if err != nil {
		return w.rejectEnvelope(PathFlow, err, origin)
	}
	agent, place := w.enrich(origin)
	items := make([]item, len(batch.Events))
	for i := range batch.Events {
		e := &batch.Events[i]
		e.Place = place
		agent.setMissing(&e.Browser, &e.OS, &e.Device)
		if e.AssignmentVersion < 0 && w.deps.AssignmentVersion != nil {
			if version, ok := w.deps.AssignmentVersion(origin.ChannelID, e.VersionID, e.OccurredAt); ok {
				e.AssignmentVersion = version
			}
		}
		items[i] = item{
			environment: origin.EnvironmentID, path: PathFlow, key: e.Key, flow: e, channel: origin.ChannelID,
			receivedAt: origin.ReceivedAt, accepted: origin.Accepted,
		}
	}
	answer, err := w.store(ctx, PathFlow, origin, agent, items, batch.Rejected)
	if batch.Skewed {
		w.stats.addSkewed(origin.EnvironmentID, PathFlow, answer.Stored)
	}
	return answer, err
}

func (w *Writer) storeProduct(
	ctx context.Context, path Path, batch ProductBatch, err error, origin Request,
) (Answer, error) {
	if err != nil {
		return w.rejectEnvelope(path, err, origin)
	}
	agent, place := w.enrich(origin)
	items := make([]item, len(batch.Events))
	for i := range batch.Events {
		e := &batch.Events[i]
		e.Place = place
		agent.setMissing(&e.Browser, &e.OS, &e.Device)
		items[i] = item{
			environment: origin.EnvironmentID, path: path, key: e.Key, product: e, receivedAt: origin.ReceivedAt,
			accepted: origin.Accepted,
		}
	}
	answer, err := w.store(ctx, path, origin, agent, items, batch.Rejected)
	if batch.Skewed {
		w.stats.addSkewed(origin.EnvironmentID, path, answer.Stored)
	}
	return answer, err
}

// decode decodes a body; a large one waits for its turn.
func decode[Batch any](
	ctx context.Context, body []byte, origin Request, rules Rules, read func([]byte, Rules) (Batch, error),
) (batch Batch, err error) {
	if len(body) >= bodylimit.Large {
		end, err := origin.Hold.Turn(ctx)
		if err != nil {
			return batch, errors.Join(ErrBusy, err)
		}
		defer end()
	}
	return read(body, rules)
}

func (w *Writer) rules(origin Request) Rules {
	return Rules{ReceivedAt: origin.ReceivedAt, Window: w.settings.Window, Prove: origin.Prove}
}

func (w *Writer) rejectEnvelope(path Path, err error, origin Request) (Answer, error) {
	var envelope *EnvelopeError
	if errors.As(err, &envelope) {
		w.stats.addEnvelope(origin.EnvironmentID, path, envelope)
	}
	return Answer{}, err
}

// enrich returns what the request itself tells of its events.
func (w *Writer) enrich(origin Request) (Agent, Place) {
	return w.agents.Look(origin.UserAgent), w.deps.Locator.Locate(origin.ClientAddr, origin.Header)
}

// setMissing sets what the SDK did not send.
func (a Agent) setMissing(browser, os, device *string) {
	*browser, *os, *device = firstNonEmpty(*browser, a.Browser), firstNonEmpty(*os, a.OS), firstNonEmpty(*device, a.Device)
}

// ignores says that an agent's events are counted and not stored.
func (o Request) ignores(kind AgentKind) bool {
	return !o.KeepCrawlers && (kind == AgentCrawler || kind == AgentHeadless && !o.Test)
}

// store hands items to their writers, waits for the commits and counts.
func (w *Writer) store(
	ctx context.Context, path Path, origin Request, agent Agent, items []item, rejected []Reject,
) (Answer, error) {
	answer := Answer{Accepted: true, Rejected: rejected}
	if answer.Rejected == nil {
		answer.Rejected = []Reject{}
	}
	if origin.ignores(agent.Kind) {
		answer.Ignored = len(items)
	} else if err := w.enqueue(ctx, items, origin.Hold); err != nil {
		return Answer{}, err
	}
	answer.add(items)
	w.stats.addAnswer(origin.EnvironmentID, path, &answer)
	return answer, nil
}

// add counts what became of items.
func (a *Answer) add(items []item) {
	for i := range items {
		switch it := &items[i]; it.outcome {
		case outcomeStored:
			a.Stored++
		case outcomeDuplicate:
			a.Duplicates++
		case outcomeRefused:
			a.reject(it, Reject{Code: CodeEventRefused, Message: "the database can't store this event"})
		case outcomeErased:
			a.reject(it, Reject{Code: CodePersonErased, Message: "identity.appUserId: the person has been erased"})
		}
	}
	slices.SortFunc(a.Rejected, func(a, b Reject) int { return a.Index - b.Index })
}

func (a *Answer) reject(it *item, refusal Reject) {
	index, eventID, name := it.source()
	a.Rejected = append(a.Rejected, refusal.at(index, eventID, name))
}

// source returns the event's place in its batch, and its id and name as sent.
func (it *item) source() (index int, eventID, name string) {
	if it.flow != nil {
		return it.flow.Index, it.flow.EventID, it.flow.Name
	}
	return it.product.Index, it.product.EventID, it.product.Name
}

func (it *item) appUserID() string {
	if it.flow != nil {
		return it.flow.AppUserID
	}
	return it.product.AppUserID
}

// enqueue gives each writer its part and waits for all of them. A part that
// failed fails the request: what the others stored comes back as duplicates
// when the client retries.
func (w *Writer) enqueue(ctx context.Context, items []item, hold *bodylimit.Hold) error {
	if len(items) == 0 {
		return nil
	}
	parts := make([]*submission, len(w.lanes))
	bytes := 0
	for i := range items {
		it := &items[i]
		lane := chooseLane(it.environment, it.appUserID(), len(w.lanes))
		if parts[lane] == nil {
			parts[lane] = &submission{done: make(chan error, 1)}
		}
		parts[lane].add(it)
	}
	for _, part := range parts {
		if part != nil {
			bytes += part.bytes
		}
	}
	// From here on the events are in memory and the body, when it is collected,
	// is not.
	if err := hold.Resize(int64(bytes)); err != nil {
		return errors.Join(ErrBusy, err)
	}
	var waiting []*submission
	var failed error
	for i, part := range parts {
		if part == nil {
			continue
		}
		part.hold = hold.Split(int64(part.bytes))
		if failed = w.lanes[i].submit(part); failed != nil {
			part.hold.Release()
			break
		}
		waiting = append(waiting, part)
	}
	for _, part := range waiting {
		select {
		case err := <-part.done:
			failed = errors.Join(failed, err)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return failed
}
