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
	for _, list := range []struct {
		dimension analytics.Dimension
		rows      *[]Row
	}{
		{analytics.AcquisitionChannel, &o.Channel}, {analytics.Referrer, &o.Referrer},
		{analytics.Source, &o.Source}, {analytics.Campaign, &o.Campaign},
		{analytics.Country, &o.Country}, {analytics.Device, &o.Device},
		{analytics.Browser, &o.Browser}, {analytics.OS, &o.OS},
	} {
		table, err := s.breakdown(list.dimension, []analytics.Dimension{list.dimension}, page)
		if err != nil {
			return nil, err
		}
		*list.rows = table.Rows
	}
	pages, err := s.Pages(page)
	if err != nil {
		return nil, err
	}
	entries, err := s.Entries(page)
	if err != nil {
		return nil, err
	}
	exits, err := s.Exits(page)
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
