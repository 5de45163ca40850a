package frame

import (
	"fmt"
	"math"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/internal/mapped"
)

// column returns one field of all rows.
func column[T plain, R any](rows []R, field func(row *R) T) []T {
	values := make([]T, len(rows))
	for i := range rows {
		values[i] = field(&rows[i])
	}
	return values
}

// SaveValues writes what codes stand for, all codes of views that were made before among them.
func (d *Dataset) SaveValues(e *Encoder) {
	names, flowNames := d.nameTable(), d.flowNameTable()
	places, techs, happenings := d.places.all(), d.techs.all(), d.happenings.all()
	releases, clients, sets, paths := d.releases.all(), d.clients.all(), d.customSets.all(), d.paths.all()
	spent, spentOnPaths := d.madeUp.spent.Load(), d.paths.Bytes()
	// Last, because all of the above refer to texts.
	for _, dict := range append(d.dicts(), d.boundedDicts()...) {
		values := (*dict).Values()
		putTexts(e, len(values), func(i int) string { return values[i] })
	}
	put(e, []int64{spent, spentOnPaths, d.paths.runs.Load()})

	put(e, column(names, func(n *Name) uint8 { return uint8(n.Kind) }))
	put(e, column(names, func(n *Name) uint8 { return bit(n.Known) }))
	put(e, column(names, func(n *Name) uint32 { return n.Page }))
	put(e, column(names, func(n *Name) uint32 { return n.Event }))

	put(e, column(flowNames, func(n *FlowName) uint8 { return uint8(n.Kind) }))
	putTexts(e, len(flowNames), func(i int) string { return flowNames[i].Text })

	put(e, column(places, func(p *PlaceInfo) uint32 { return p.Country }))
	put(e, column(places, func(p *PlaceInfo) uint32 { return p.Region }))
	put(e, column(places, func(p *PlaceInfo) uint32 { return p.City }))
	put(e, column(places, func(p *PlaceInfo) uint8 { return bit(!math.IsNaN(p.Lat)) }))
	put(e, column(places, func(p *PlaceInfo) float64 { return p.lat }))
	put(e, column(places, func(p *PlaceInfo) float64 { return p.lon }))

	put(e, column(techs, func(t *TechInfo) uint32 { return t.Platform }))
	put(e, column(techs, func(t *TechInfo) uint32 { return t.Device }))
	put(e, column(techs, func(t *TechInfo) uint32 { return t.Browser }))
	put(e, column(techs, func(t *TechInfo) uint32 { return t.OS }))

	put(e, column(happenings, func(h *Happening) uint8 { return uint8(h.Name) }))
	put(e, column(happenings, func(h *Happening) int32 { return h.Step }))
	put(e, column(happenings, func(h *Happening) int32 { return h.From }))
	put(e, column(happenings, func(h *Happening) int32 { return h.Subject }))
	put(e, column(happenings, func(h *Happening) int32 { return h.Value }))

	put(e, column(releases, func(r *ReleaseInfo) session.Key { return r.Flow }))
	put(e, column(releases, func(r *ReleaseInfo) session.Key { return r.Version }))
	put(e, column(releases, func(r *ReleaseInfo) session.Key { return r.Experiment }))
	put(e, column(releases, func(r *ReleaseInfo) int64 { return r.Channel }))
	put(e, column(releases, func(r *ReleaseInfo) int64 { return r.AssignmentVersion }))
	putTexts(e, len(releases), func(i int) string { return releases[i].Variant })

	put(e, column(clients, func(c *ClientInfo) uint32 { return c.Platform }))
	put(e, column(clients, func(c *ClientInfo) uint32 { return c.Locale }))
	put(e, column(clients, func(c *ClientInfo) uint32 { return c.AppVersion }))

	var keys, values, all []uint32
	ends := make([]uint32, 0, len(sets))
	for _, set := range sets {
		for _, property := range set {
			keys, values = append(keys, property.Key), append(values, property.Value)
		}
		ends = append(ends, uint32(len(keys)))
	}
	put(e, ends)
	put(e, keys)
	put(e, values)
	ends = make([]uint32, 0, len(paths))
	for _, path := range paths {
		all = append(all, path...)
		ends = append(ends, uint32(len(all)))
	}
	put(e, ends)
	put(e, all)
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// SavePurchases writes the ledger.
func (v *View) SavePurchases(e *Encoder) {
	put(e, column(v.Purchases, func(p *CodedPurchase) int64 { return p.ID }))
	put(e, column(v.Purchases, func(p *CodedPurchase) int64 { return p.At }))
	put(e, column(v.Purchases, func(p *CodedPurchase) int64 { return p.AmountMicros }))
	put(e, column(v.Purchases, func(p *CodedPurchase) uint32 { return p.Visitor }))
	put(e, column(v.Purchases, func(p *CodedPurchase) uint32 { return p.Product }))
	put(e, column(v.Purchases, func(p *CodedPurchase) uint8 { return uint8(p.Provider) }))
	put(e, column(v.Purchases, func(p *CodedPurchase) uint8 { return uint8(p.Kind) }))
}

// Saved are the files of a dataset, but for its frames. The first ids and the first touches are read where they lie,
// the others are copied.
type Saved struct {
	Values, Purchases         *mapped.File
	Visitors, CustomIDs       *mapped.File // nil when all are in the tails
	VisitorTail, CustomIDTail *mapped.File
	Touches                   []*mapped.File
}

// OpenDataset makes the dataset of files, whose made-up values may take so many bytes.
func OpenDataset(saved Saved, valueBytes int64) (d *Dataset, err error) {
	d = NewDatasetWithin(valueBytes)
	if err := d.openValues(saved.Values.Bytes()); err != nil {
		return nil, fmt.Errorf("values: %w", err)
	}
	var touches []*SavedTouches
	for _, file := range saved.Touches {
		group, err := OpenTouches(file)
		if err != nil {
			return nil, fmt.Errorf("first touches: %w", err)
		}
		touches = append(touches, group)
	}
	visitors, tail, err := readIDs(saved.Visitors, saved.VisitorTail)
	if err == nil {
		d.visitors, err = openVisitors(visitors, tail, touches)
	}
	if err != nil {
		return nil, fmt.Errorf("visitors: %w", err)
	}
	if visitors, tail, err = readIDs(saved.CustomIDs, saved.CustomIDTail); err != nil {
		return nil, fmt.Errorf("custom user ids: %w", err)
	}
	d.customIDs = openIDs(visitors, tail)
	if d.customIDs.code("") != 0 {
		return nil, fmt.Errorf("custom user ids: %w", ErrFile)
	}
	if err := d.openPurchases(saved.Purchases.Bytes()); err != nil {
		return nil, fmt.Errorf("purchases: %w", err)
	}
	return d, nil
}

// readIDs returns the ids of a file, and those of the file of the others.
func readIDs(file, tail *mapped.File) (saved *SavedIDs, rest []string, err error) {
	if file != nil {
		if saved, err = OpenIDs(file); err != nil {
			return nil, nil, err
		}
	}
	in, err := decode(tail.Bytes(), TailFile)
	if err != nil {
		return nil, nil, err
	}
	texts := getTexts(in)
	return saved, texts.copied(), in.end()
}

func (d *Dataset) openValues(file []byte) error {
	in, err := decode(file, ValueFile)
	if err != nil {
		return err
	}
	for _, dict := range append(d.dicts(), d.boundedDicts()...) {
		texts := getTexts(in)
		if !(*dict).restore(texts.copied()) {
			in.fail()
		}
	}
	spent := getN[int64](in, 3)

	kinds := get[uint8](in)
	known, pages, events := getN[uint8](in, len(kinds)), getN[uint32](in, len(kinds)), getN[uint32](in, len(kinds))
	flowKinds, flowTexts := get[uint8](in), getTexts(in)
	if in.err != nil || len(flowKinds) != flowTexts.len() {
		return ErrFile
	}
	for i, kind := range kinds {
		d.names = append(d.names, Name{Kind: Kind(kind), Known: known[i] != 0, Page: pages[i], Event: events[i]})
	}
	for i, text := range flowTexts.copied() {
		d.flowNames = append(d.flowNames, FlowName{run.NameKind(flowKinds[i]), text})
		d.flowNameBytes += int64(len(text))
	}
	if err := d.openTuples(in); err != nil {
		return err
	}

	ends := get[uint32](in)
	keys := get[uint32](in)
	values := getN[uint32](in, len(keys))
	lists, ok := cut(ends, len(keys), func(from, to uint32) []CustomValue {
		set := make([]CustomValue, 0, to-from)
		for i := from; i < to; i++ {
			set = append(set, CustomValue{keys[i], values[i]})
		}
		return set
	})
	if in.err != nil || !ok || len(lists) < len(d.customSets.sets) {
		return ErrFile
	}
	for _, set := range lists[len(d.customSets.sets):] {
		d.customSets.add(set)
	}
	ends = get[uint32](in)
	all := get[uint32](in)
	paths, ok := cut(ends, len(all), func(from, to uint32) []uint32 {
		return append([]uint32(nil), all[from:to]...)
	})
	if err := in.end(); err != nil || !ok || len(paths) == 0 {
		return ErrFile
	}
	for _, path := range paths[1:] {
		d.paths.add(path)
	}
	d.madeUp.spent.Store(spent[0])
	d.paths.spent = spent[1]
	d.paths.runs.Store(spent[2])
	return nil
}

// cut returns the lists that end where ends says, of so many values.
func cut[T any](ends []uint32, values int, list func(from, to uint32) []T) (lists [][]T, ok bool) {
	from := uint32(0)
	for _, to := range ends {
		if to < from || int(to) > values {
			return nil, false
		}
		lists = append(lists, list(from, to))
		from = to
	}
	return lists, int(from) == values
}

// openTuples reads the tuples that codes stand for. They are coded in the order in which they were before, so each has
// the code that it had.
func (d *Dataset) openTuples(in *decoder) error {
	countries := get[uint32](in)
	n := len(countries)
	regions, cities, located := getN[uint32](in, n), getN[uint32](in, n), getN[uint8](in, n)
	lats, lons := getN[float64](in, n), getN[float64](in, n)
	platforms := get[uint32](in)
	t := len(platforms)
	devices, browsers, systems := getN[uint32](in, t), getN[uint32](in, t), getN[uint32](in, t)
	names := get[uint8](in)
	h := len(names)
	steps, froms, subjects, said := getN[int32](in, h), getN[int32](in, h), getN[int32](in, h), getN[int32](in, h)
	flows := get[session.Key](in)
	r := len(flows)
	versions, experiments := getN[session.Key](in, r), getN[session.Key](in, r)
	channels, assignments := getN[int64](in, r), getN[int64](in, r)
	variants := getTexts(in)
	of := get[uint32](in)
	locales, appVersions := getN[uint32](in, len(of)), getN[uint32](in, len(of))
	if in.err != nil || variants.len() != r {
		return ErrFile
	}
	agree := true
	for i := range countries {
		key := placeKey{country: countries[i], region: regions[i], city: cities[i]}
		if located[i] != 0 {
			key.lat, key.lon, key.at = lats[i], lons[i], true
		}
		agree = agree && d.placeCode(key) == uint32(i)
	}
	for i := range platforms {
		info := TechInfo{platforms[i], devices[i], browsers[i], systems[i]}
		agree = agree && d.techs.code(info, func() TechInfo { return info }) == uint32(i)
	}
	for i := range names {
		tuple := Happening{run.Name(names[i]), steps[i], froms[i], subjects[i], said[i]}
		agree = agree && d.happenings.code(tuple, func() Happening { return tuple }) == uint32(i)
	}
	for i, variant := range variants.copied() {
		info := ReleaseInfo{flows[i], versions[i], channels[i], assignments[i], experiments[i], variant}
		agree = agree && d.releases.code(info, func() ReleaseInfo { return info }) == uint32(i)
	}
	for i := range of {
		info := ClientInfo{of[i], locales[i], appVersions[i]}
		agree = agree && d.clients.code(info, func() ClientInfo { return info }) == uint32(i)
	}
	if !agree {
		return ErrFile
	}
	return nil
}

func (d *Dataset) openPurchases(file []byte) error {
	in, err := decode(file, LedgerFile)
	if err != nil {
		return err
	}
	ids := get[int64](in)
	n := len(ids)
	times, amounts := getN[int64](in, n), getN[int64](in, n)
	visitors, products := getN[uint32](in, n), getN[uint32](in, n)
	providers, kinds := getN[uint8](in, n), getN[uint8](in, n)
	if err := in.end(); err != nil {
		return err
	}
	d.purchases = make([]CodedPurchase, n)
	for i := range d.purchases {
		d.purchases[i] = CodedPurchase{
			ids[i], times[i], amounts[i], visitors[i], products[i], Provider(providers[i]), PurchaseKind(kinds[i]),
		}
	}
	return nil
}

// AdoptVisitors takes the first ids of visitors from a file that was written of a view of the dataset.
func (d *Dataset) AdoptVisitors(saved *SavedIDs) { d.visitors.adopt(saved) }

// AdoptCustomIDs takes the first custom user ids from a file that was written of a view of the dataset.
func (d *Dataset) AdoptCustomIDs(saved *SavedIDs) { d.customIDs.adopt(saved) }
