package report

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unsafe"

	"github.com/svc-dev/svc/analytics/channel"
	"github.com/svc-dev/svc/analytics/frame"
)

// VisitorRow is a visitor of the range. FirstSeen is the first touch, the rest is of the range:
// place, device, source and channel are those of the session with their latest hit. RevenueUSD is
// the net ledger of the range in micro-USD, renewals and refunds included. Runs are those of whatever
// flow that started in the range, whatever the filters.
type VisitorRow struct {
	AppUserID     string     `json:"appUserId"`
	CustomUserID  string     `json:"customUserId"`
	FirstSeen     *time.Time `json:"firstSeen"`
	LastSeen      time.Time  `json:"lastSeen"`
	Sessions      int64      `json:"sessions"`
	Views         int64      `json:"views"`
	Events        int64      `json:"events"`
	Country       string     `json:"country"`
	City          string     `json:"city"`
	Platform      string     `json:"platform"`
	Device        string     `json:"device"`
	Browser       string     `json:"browser"`
	OS            string     `json:"os"`
	Source        string     `json:"source"`
	Channel       string     `json:"channel"`
	RevenueUSD    int64      `json:"revenueUsd"`
	Runs          int64      `json:"runs"`
	CompletedRuns int64      `json:"completedRuns"` // of these runs
}

// VisitorMetrics are the columns that order the visitor list.
var VisitorMetrics = []Metric{LastSeen, FirstSeen, Sessions, Views, Events, RevenueUSD, Runs, CompletedRuns}

// Visitors returns the visitor list: every visitor with a qualifying session. Search looks at the app
// user id and the custom user id.
func (s *Selection) Visitors(ctx context.Context, page Page) (*Table[VisitorRow], error) {
	by, err := page.sorting(LastSeen, VisitorMetrics)
	if err != nil {
		return nil, err
	}
	rows, _, err := sumPortions(ctx, s, func(p *Selection) listing[VisitorRow] {
		return p.visitorList(by)
	},
		func(total, more listing[VisitorRow]) listing[VisitorRow] { return total.plus(more, by) })
	if err != nil {
		return nil, err
	}
	return rows.page(by)
}

// visitorBytes is about what a row of the list takes.
const visitorBytes = int(unsafe.Sizeof(listed[VisitorRow]{})) + 64

// visitorList finds the rows of a page. The first page in an order is remembered: everybody begins with it.
func (s *Selection) visitorList(by sorting) listing[VisitorRow] {
	list := func() listing[VisitorRow] { return s.visitorTable(by.OrderBy, nil).list(by) }
	if by.After != "" || by.Search != "" {
		return list()
	}
	key := countKey{what: "visitors", by: fmt.Sprintln(by.OrderBy, by.Ascending, by.First, s.scope.RevenueProvider)}
	return remembered(s, key, by.First+1, visitorBytes, list)
}

// visitorTable returns the visitor list in one order, of members only unless that is nil.
func (s *Selection) visitorTable(order Metric, members *Members) tableOf[VisitorRow] {
	net := map[uint32]int64{}
	for _, p := range s.window.purchasesIn() {
		if s.allowed(&p) {
			net[p.Visitor] += p.AmountMicros
		}
	}
	runs := s.runCounts()
	r := s.window.read(keyColumns(order), nil, func(int, *windowPart) {})
	// Only the ordering column is computed for everyone.
	found := make([][]uint32, s.workers())
	keys := make([][]int64, s.workers())
	frame.Parallel(s.workers(), func(i int) {
		s.eachVisitor(i, r, func(visitor uint32, sessions []ref) {
			if members == nil || members.has(visitor) {
				found[i] = append(found[i], visitor)
				keys[i] = append(keys[i], s.visitorKey(visitor, sessions, order, net, runs))
			}
		})
	})
	var visitors []uint32
	var numbers []int64
	for i := range found {
		visitors = append(visitors, found[i]...)
		numbers = append(numbers, keys[i]...)
	}
	ids := make([]uint32, len(visitors))
	for i := range ids {
		ids[i] = uint32(i)
	}
	return tableOf[VisitorRow]{
		ids: ids, order: LastSeen, metrics: VisitorMetrics,
		number: func(id uint32, metric Metric) number {
			if metric == FirstSeen && numbers[id] == frame.NeverSeen {
				return number{null: true}
			}
			return integer(numbers[id])
		},
		key: func(id uint32) string { return s.view.Visitors.ID(visitors[id]) },
		search: func(id uint32) []string {
			v := visitors[id]
			return []string{s.view.Visitors.ID(v), s.view.CustomIDs.ID(s.view.Touch(v).CustomID)}
		},
		row: func(id uint32) VisitorRow {
			row := s.visitorRow(visitors[id], net[visitors[id]])
			count := runs.of(visitors[id])
			row.Runs, row.CompletedRuns = int64(count.runs), int64(count.completed)
			return row
		},
	}
}

// keyColumns returns what visitorKey reads of sessions.
func keyColumns(order Metric) []frame.Column {
	switch order {
	case Views, Events:
		return []frame.Column{frame.Totals}
	case LastSeen:
		return []frame.Column{frame.Begin, frame.Length}
	}
	return nil
}

// visitorKey returns the ordering column of a visitor.
func (s *Selection) visitorKey(
	visitor uint32, sessions []ref, order Metric, net map[uint32]int64, runs runCounts,
) int64 {
	switch order {
	case FirstSeen:
		return s.view.FirstSeen(visitor)
	case Sessions:
		return int64(len(sessions))
	case RevenueUSD:
		return net[visitor]
	case Runs:
		return int64(runs.of(visitor).runs)
	case CompletedRuns:
		return int64(runs.of(visitor).completed)
	}
	total := int64(0)
	for i, r := range sessions {
		p := &s.window.parts[r.part]
		switch order {
		case Views:
			total += int64(frame.ViewsOf(p.totalsIn()[r.row]))
		case Events:
			total += int64(frame.EventsOf(p.totalsIn()[r.row]))
		default:
			if last := p.last(r.row); i == 0 || last > total {
				total = last
			}
		}
	}
	return total
}

func (s *Selection) visitorRow(visitor uint32, net int64) VisitorRow {
	v := s.view
	touch := v.Touch(visitor)
	row := VisitorRow{
		AppUserID:    strings.Clone(v.Visitors.ID(visitor)),
		CustomUserID: strings.Clone(v.CustomIDs.ID(touch.CustomID)), RevenueUSD: net,
	}
	if seen := v.FirstSeen(visitor); seen != frame.NeverSeen {
		first := frame.Time(seen)
		row.FirstSeen = &first
	}
	sessions := s.sessionsOf(visitor)
	for _, r := range sessions {
		p := &s.window.parts[r.part]
		row.Sessions++
		row.Views += int64(frame.ViewsOf(p.totalsIn()[r.row]))
		row.Events += int64(frame.EventsOf(p.totalsIn()[r.row]))
	}
	at := s.findLatestHit(sessions)
	row.LastSeen = frame.Time(at.time)
	p, r := &s.window.parts[at.session.part], at.session.row
	place, tech := s.place(at), v.Techs[p.Column(frame.Tech)[r]]
	row.Country, row.City = v.Countries[place.Country], v.Cities[place.City]
	row.Platform, row.Device = v.Platforms[tech.Platform], v.Devices[tech.Device]
	row.Browser, row.OS = v.Browsers[tech.Browser], v.OSes[tech.OS]
	row.Source = v.Sources[p.Column(frame.Source)[r]]
	row.Channel = channel.Channel(p.Column(frame.Channel)[r]).String()
	return row
}

// sessionsOf returns the qualifying sessions of a visitor.
func (s *Selection) sessionsOf(visitor uint32) (sessions []ref) {
	for _, r := range s.window.seeker().of(visitor) {
		if s.qualifies(r) {
			sessions = append(sessions, r)
		}
	}
	return sessions
}
