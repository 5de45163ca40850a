package report

import "github.com/svc-dev/svc/analytics"

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

// Overview computes the top rows of every list, each in its table's default order.
func (s *Selection) Overview() (*Overview, error) {
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
	s.readPagesAndEvents()
	var groupings []grouping
	for _, list := range lists {
		groupings = append(groupings, s.groupingOf(list.dimension))
	}
	groupings = append(groupings, s.groupingOf(analytics.Entry), s.groupingOf(analytics.Exit))
	tallies := s.tallies(groupings)
	for i, list := range lists {
		table, err := s.tableOfRows(list.dimension, tallies[i]).page(page)
		if err != nil {
			return nil, err
		}
		*list.rows = table.Rows
	}
	byEntry, byExit := tallies[len(lists)], tallies[len(lists)+1]
	pages, err := s.pageTable(byEntry.sessions(), byExit.sessions()).page(page)
	if err != nil {
		return nil, err
	}
	entries, err := s.entryTable(byEntry).page(page)
	if err != nil {
		return nil, err
	}
	views := make([]int64, len(s.view.Pages))
	for id, c := range s.pageCells() {
		views[id] = c.views
	}
	exits, err := s.exitTable(byExit, views).page(page)
	if err != nil {
		return nil, err
	}
	events, err := s.Events(page)
	if err != nil {
		return nil, err
	}
	o.Page, o.Entry, o.Exit, o.Event = pages.Rows, entries.Rows, exits.Rows, events.Rows
	return &o, nil
}
