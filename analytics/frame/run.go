package frame

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
)

// The columns of runs. All but the last three are codes of whole tuples.
const (
	RunRelease Column = iota // of Releases
	RunClient                // of Clients
	RunPlace                 // of Places; without coordinates
	RunTech                  // of Techs; without platform, which is the client's
	RunCustom                // of CustomSets
	RunPath                  // of Paths
	RunEnds                  // index of the latest hit and, 16 bits higher, that of the hit that the start comes from
	RunFlags                 // HasStart, Completed, Abandoned
	RunColumns
)

// The bits of RunFlags.
const (
	HasStart  uint32 = 1 << iota // its flow_started was not lost
	Completed                    // has a flow_completed
	Abandoned                    // has a flow_abandoned
)

// RunRow is one run as the database holds it: the input of a frame.
type RunRow struct {
	HomeDay int32 // UTC day of the first insert of the run's row, see Day
	Run     run.Run
}

// Happening is what a hit of a run says: its name and what it is about, as ids of flow_name; 0 is none, and From may
// be run.FromStart. Where a dataset has no room for another, Subject and Value are 0, and then Step and From too.
type Happening struct {
	Name                       run.Name
	Step, From, Subject, Value int32
}

// ReleaseInfo is one distinct release of a flow. Where a dataset has no room for another, all but Flow and Version
// are their zero values, and then those too.
type ReleaseInfo struct {
	Flow, Version     session.Key
	Channel           int64
	AssignmentVersion int64       // -1 when absent
	Experiment        session.Key // zero when absent
	Variant           string
}

// ClientInfo is one distinct combination of platform, locale and app version, as codes of Platforms, Locales and
// AppVersions.
type ClientInfo struct{ Platform, Locale, AppVersion uint32 }

// FlowName is what an id of flow_name stands for.
type FlowName struct {
	Kind run.NameKind // 0 of an id that was never announced
	Text string
}

// FlowNameRow announces what an id of flow_name stands for.
type FlowNameRow struct {
	ID   int32
	Kind run.NameKind
	Text string
}

// RunStart returns when a run started, in milliseconds since 2020-01-01T00:00Z: the time of its flow_started, else of
// its earliest hit.
func (p *Part) RunStart(row uint32) int64 {
	return HitTime(p.HitsOf(row)[p.Column(RunEnds)[row]>>16])
}

// RunLast returns the time of a run's latest hit, in milliseconds since 2020-01-01T00:00Z.
func (p *Part) RunLast(row uint32) int64 {
	return HitTime(p.HitsOf(row)[p.Column(RunEnds)[row]&0xffff])
}

// RunKey returns the key of a run: the first 16 bytes of the SHA-256 of its flow, the key of its row, and its pass in
// 8 bytes, little-endian.
func RunKey(r *run.Run) Key {
	var b [16 + 16 + 8]byte
	copy(b[:], r.Flow[:])
	copy(b[16:], r.Key[:])
	binary.LittleEndian.PutUint64(b[32:], uint64(r.Pass))
	sum := sha256.Sum256(b[:])
	return Key(sum[:16])
}

// SetFlowNames announces names. What an id stands for never changes.
func (d *Dataset) SetFlowNames(rows []FlowNameRow) {
	if len(rows) == 0 {
		return
	}
	last := int32(0)
	for i := range rows {
		last = max(last, rows[i].ID)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	// A view may hold the old slice.
	names := make([]FlowName, max(int(last)+1, len(d.flowNames)))
	copy(names, d.flowNames)
	for i := range rows {
		name := &names[rows[i].ID]
		if name.Kind == 0 {
			d.flowNameBytes += int64(len(rows[i].Text))
		}
		*name = FlowName{rows[i].Kind, rows[i].Text}
	}
	d.flowNames = names
}

func (d *Dataset) flowNameTable() []FlowName {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.flowNames[:len(d.flowNames):len(d.flowNames)]
}

// UpsertRuns does for runs what Upsert does for sessions. All runs of a row must come together.
func (d *Dataset) UpsertRuns(rows []RunRow) {
	upsert(d, Runs, rows, func(r *RunRow) int32 { return r.HomeDay }, d.NewRunBuilder())
}

// RunBuilder encodes runs of one home day into a part. It belongs to one goroutine; several builders may fill one
// dataset at once.
type RunBuilder struct {
	partBuilder
	tuples  tuples
	names   []FlowName
	locale  cached
	version cached

	happenings map[Happening]uint32
	releases   map[ReleaseInfo]uint32
	clients    map[ClientInfo]uint32
	custom     customReader
	paths      pathReader
}

// NewRunBuilder makes a builder of runs for the dataset.
func (d *Dataset) NewRunBuilder() *RunBuilder {
	b := &RunBuilder{
		partBuilder: newPartBuilder(d, Runs), tuples: newTuples(d),
		locale: newCached(d.Locales), version: newCached(d.AppVersions),
		happenings: map[Happening]uint32{}, releases: map[ReleaseInfo]uint32{}, clients: map[ClientInfo]uint32{},
		custom: newCustomReader(d), paths: pathReader{paths: d.paths, known: map[string]uint32{}},
	}
	b.RefreshNames()
	return b
}

// RefreshNames makes the builder see names announced since it was made.
func (b *RunBuilder) RefreshNames() { b.names = b.data.flowNameTable() }

// Discard empties the builder. It keeps its memory for the next part.
func (b *RunBuilder) Discard() {
	b.discard()
	b.RefreshNames()
}

// Text returns the text of a name, by which [run.Row.Runs] orders hits.
func (b *RunBuilder) Text(id int32) string {
	if !b.knows(id) {
		return ""
	}
	return b.names[id].Text
}

func (b *RunBuilder) knows(id int32) bool {
	return id > 0 && int(id) < len(b.names) && b.names[id].Kind != 0
}

// Missing appends the ids of names of the run's hits that the builder does not know. Some may come twice.
func (b *RunBuilder) Missing(r *run.Run, ids []int32) []int32 {
	for i := range r.Hits {
		h := &r.Hits[i]
		for _, id := range [...]int32{h.Step, h.From, h.Subject, h.Value} {
			if id > 0 && !b.knows(id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// Add encodes one run. A run without hits is ignored, and so are hits of a run beyond MaxHits.
func (b *RunBuilder) Add(row *RunRow) {
	r := &row.Run
	if len(r.Hits) == 0 {
		return
	}
	p := b.addRow(r.Person, RunKey(r))
	hits := r.Hits[:min(len(r.Hits), MaxHits)]
	start, last := uint32(0), uint32(0)
	b.paths.path = b.paths.path[:0]
	for i := range hits {
		h := &hits[i]
		code := b.happening(Happening{h.Name, h.Step, h.From, h.Subject, h.Value})
		p.hits.values = append(p.hits.values, PackHit(h.At, code))
		if OnPath(h.Name) {
			b.paths.path = append(b.paths.path, code)
		}
		if h.At > hits[last].At {
			last = uint32(i)
		}
		if r.HasStart {
			if h.Name == run.FlowStarted && hits[start].Name != run.FlowStarted {
				start = uint32(i)
			}
		} else if h.At < hits[start].At {
			start = uint32(i)
		}
	}
	p.endRow()
	values := [RunColumns]uint32{
		RunRelease: b.release(r), RunClient: b.client(r.Client),
		RunPlace:  b.tuples.place(b.tuples.placeKey(r.Place.Country, r.Place.Region, r.Place.City)),
		RunTech:   b.tuples.tech("", r.Device.Device, r.Device.Browser, r.Device.OS),
		RunCustom: b.custom.code(r.CustomProperties), RunPath: b.paths.code(),
		RunEnds: start<<16 | last, RunFlags: flagsOf(r),
	}
	for c, value := range values {
		p.put(Column(c), value)
	}
}

func flagsOf(r *run.Run) (flags uint32) {
	if r.HasStart {
		flags |= HasStart
	}
	if r.Completed {
		flags |= Completed
	}
	if r.Abandoned {
		flags |= Abandoned
	}
	return flags
}

// Seal returns the runs added since the last call as a part and empties the builder. Of several versions of one run
// the last added stays.
func (b *RunBuilder) Seal() *Part {
	part := b.seal()
	b.RefreshNames()
	return part
}

// Bytes that a distinct tuple takes: twice itself, in a slice that grows and a map.
const (
	happeningBytes = 96
	releaseBytes   = 256
	clientBytes    = 64
)

// maxHappenings is how many codes a hit has room for, but for those of names alone.
const maxHappenings = 1<<NameBits - 1<<8

func (b *RunBuilder) happening(h Happening) uint32 {
	code, ok := b.happenings[h]
	if ok {
		return code
	}
	t := b.data.happenings
	if code, ok = t.codeWithin(h, happeningBytes, true); !ok {
		less := Happening{Name: h.Name, Step: h.Step, From: h.From}
		if code, ok = t.codeWithin(less, happeningBytes, false); !ok {
			code = t.code(Happening{Name: h.Name}, func() Happening { return Happening{Name: h.Name} })
		}
	}
	remember(b.happenings, h, code)
	return code
}

func (b *RunBuilder) release(r *run.Run) uint32 {
	info := ReleaseInfo{
		Flow: r.Flow, Version: r.Release.Version, Channel: r.Release.Channel,
		AssignmentVersion: r.Release.AssignmentVersion, Experiment: r.Release.Experiment, Variant: r.Release.Variant,
	}
	code, ok := b.releases[info]
	if ok {
		return code
	}
	t := b.data.releases
	if code, ok = t.codeWithin(info, releaseBytes+int64(len(info.Variant)), true); !ok {
		code, _ = t.codeWithin(ReleaseInfo{Flow: r.Flow, Version: r.Release.Version}, releaseBytes, false)
	}
	remember(b.releases, info, code)
	return code
}

func (b *RunBuilder) client(c run.Client) uint32 {
	info := ClientInfo{b.tuples.platform.of(c.Platform), b.locale.of(c.Locale), b.version.of(c.AppVersion)}
	code, ok := b.clients[info]
	if ok {
		return code
	}
	code, _ = b.data.clients.codeWithin(info, clientBytes, false)
	remember(b.clients, info, code)
	return code
}
