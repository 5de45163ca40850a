package report

import (
	"context"
	"unsafe"

	"github.com/svc-dev/svc/analytics"
)

// OverviewRows is how many rows each list of the overview has.
const OverviewRows = 10

// Overview is the ranked lists of the overview page in one payload.
type Overview struct {
	Channel  []Row      `json:"channel"`
	Referrer []Row      `json:"referrer"`
	Source   []Row      `json:"source"`
	Campaign []Row      `json:"campaign"`
	Page     []PageRow  `json:"page"`
	Entry    []EntryRow `json:"entry"`
	Exit     []ExitRow  `json:"exit"`
	Country  []Row      `json:"country"`
	Device   []Row      `json:"device"`
	Browser  []Row      `json:"browser"`
	OS       []Row      `json:"os"`
	Event    []EventRow `json:"event"`
}

// overviewBytes is about what an overview takes: twelve lists whose rows have up to three texts of a name's length.
const overviewBytes = 12 * OverviewRows * (int(unsafe.Sizeof(EntryRow{})) + 64)

// Overview returns the top rows of every list, each in its table's default order. Everybody's first page asks for it,
// and those who open a dashboard at the same time for the same one: it must not be changed.
func (s *Selection) Overview(ctx context.Context) (*Overview, error) {
	if s.stream != nil {
		return s.countOverview(ctx)
	}
	type answer struct {
		overview *Overview
		err      error
	}
	key := countKey{what: "overview", by: s.scope.RevenueProvider}
	a := remembered(s, key, 1, overviewBytes, func() answer {
		overview, err := s.countOverview(ctx)
		return answer{overview, err}
	})
	return a.overview, a.err
}

func (s *Selection) countOverview(ctx context.Context) (*Overview, error) {
	var o Overview
	page := Page{First: OverviewRows}
	lists := []struct {
		dimension analytics.Dimension
		rows      *[]Row
	}{
		{analytics.AcquisitionChannel, &o.Channel}, {analytics.Referrer, &o.Referrer},
		{analytics.Source, &o.Source}, {analytics.Campaign, &o.Campaign},
		{analytics.Country, &o.Country}, {analytics.Device, &o.Device},
		{analytics.Browser, &o.Browser}, {analytics.OS, &o.OS},
	}
	dimensions := []analytics.Dimension{analytics.Entry, analytics.Exit}
	for _, list := range lists {
		dimensions = append(dimensions, list.dimension)
	}
	t, known, err := sumPortions(ctx, s, func(p *Selection) overviewTally {
		return p.overviewTally(dimensions)
	}, overviewTally.plus)
	if err != nil {
		return nil, err
	}
	byEntry, byExit := t.sessions[0], t.sessions[1]
	for i, list := range lists {
		table, err := known.tableOfRows(list.dimension, t.sessions[2+i], nil).page(page)
		if err != nil {
			return nil, err
		}
		*list.rows = table.Rows
	}
	pages, err := known.pageTable(t.pages, byEntry.sessions(), byExit.sessions()).page(page)
	if err != nil {
		return nil, err
	}
	entries, err := known.entryTable(byEntry).page(page)
	if err != nil {
		return nil, err
	}
	views := make([]int64, len(t.pages))
	for id, c := range t.pages {
		views[id] = c.views
	}
	exits, err := known.exitTable(byExit, views).page(page)
	if err != nil {
		return nil, err
	}
	events, err := known.eventTable(t.events).page(page)
	if err != nil {
		return nil, err
	}
	o.Page, o.Entry, o.Exit, o.Event = pages.Rows, entries.Rows, exits.Rows, events.Rows
	return &o, nil
}

// overviewTally is everything that the overview counts.
type overviewTally struct {
	sessions []*tally // by dimension
	pages    []pageCell
	events   []nameCell
}

func (s *Selection) overviewTally(dimensions []analytics.Dimension) overviewTally {
	groupings := make([]grouping, len(dimensions))
	for i, d := range dimensions {
		groupings[i] = s.groupingOf(d)
	}
	pages, events := s.pagesAndEvents()
	return overviewTally{sessions: s.tallies(groupings), pages: pages, events: events}
}

func (t overviewTally) plus(more overviewTally) overviewTally {
	out := overviewTally{pages: addPages(t.pages, more.pages), events: addNames(t.events, more.events)}
	for i := range t.sessions {
		out.sessions = append(out.sessions, t.sessions[i].plus(more.sessions[i]))
	}
	return out
}
