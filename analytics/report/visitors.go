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
	list := func() listing[VisitorRow] { return s.listVisitors(by, nil) }
	if by.After != "" || by.Search != "" {
		return list()
	}
	key := countKey{what: "visitors", by: fmt.Sprintln(by.OrderBy, by.Ascending, by.First, s.scope.RevenueProvider)}
	return remembered(s, key, by.First+1, visitorBytes, list)
}

// listVisitors finds the rows of a page, of members only unless that is nil. Only the ordering column is computed for
// everyone.
func (s *Selection) listVisitors(by sorting, members *Members) listing[VisitorRow] {
	net := map[uint32]int64{}
	for _, p := range s.window.purchasesIn() {
		if s.allowed(&p) {
			net[p.Visitor] += p.AmountMicros
		}
	}
	runs := s.runCounts()
	table := s.visitorTable(net, runs)
	ranked := make([]*ranking[VisitorRow], s.workers())
	r, columns := s.readKeys(by.OrderBy)
	frame.Parallel(s.workers(), func(i int) {
		ranked[i] = table.ranking(by)
		times := s.seenTimes()
		s.eachVisitor(i, r, func(visitor uint32, sessions []ref) {
			if members != nil && !members.has(visitor) {
				return
			}
			n := number{null: true}
			switch by.OrderBy {
			case FirstSeen:
				if at := times.of(visitor); at != frame.NeverSeen {
					n = integer(at)
				}
			case Sessions:
				n = integer(int64(len(sessions)))
			case RevenueUSD:
				n = integer(net[visitor])
			case Runs:
				n = integer(int64(runs.of(visitor).runs))
			case CompletedRuns:
				n = integer(int64(runs.of(visitor).completed))
			default:
				n = integer(sessionsKey(sessions, columns, by.OrderBy))
			}
			ranked[i].add(rankedRow{n, visitor})
		})
	})
	for _, more := range ranked[1:] {
		ranked[0].plus(more)
	}
	return ranked[0].listing()
}

// visitorTable describes the list, whose rows have the ordinals of visitors.
func (s *Selection) visitorTable(net map[uint32]int64, runs runCounts) tableOf[VisitorRow] {
	return tableOf[VisitorRow]{
		key: func(visitor uint32) string { return s.view.Visitors.ID(visitor) },
		search: func(visitor uint32) []string {
			return []string{s.view.Visitors.ID(visitor), s.view.CustomIDs.ID(s.view.Touch(visitor).CustomID)}
		},
		row: func(visitor uint32) VisitorRow {
			row := s.visitorRow(visitor, net[visitor])
			count := runs.of(visitor)
			row.Runs, row.CompletedRuns = int64(count.runs), int64(count.completed)
			return row
		},
	}
}

// readKeys begins to read what orders the list by sessions.
func (s *Selection) readKeys(order Metric) (*reading, []partColumns) {
	columns := make([]partColumns, len(s.window.parts))
	switch order {
	case Views, Events:
		return s.window.read([]frame.Column{frame.Totals}, nil, func(i int, p *windowPart) {
			columns[i].totals = p.totalsIn()
		}), columns
	case LastSeen:
		return s.window.read([]frame.Column{frame.Begin, frame.Length}, nil, func(i int, p *windowPart) {
			columns[i].part = p
			if !p.clipped {
				columns[i].starts, columns[i].millis = p.Begins(), p.Column(frame.Length)
			}
		}), columns
	}
	return s.window.readVisitors(), nil
}

// sessionsKey returns what orders a visitor by their sessions.
func sessionsKey(sessions []ref, columns []partColumns, order Metric) (key int64) {
	for i, r := range sessions {
		l := &columns[r.part]
		switch order {
		case Views:
			key += int64(frame.ViewsOf(l.totals[r.row]))
		case Events:
			key += int64(frame.EventsOf(l.totals[r.row]))
		default:
			if last := l.last(r.row); i == 0 || last > key {
				key = last
			}
		}
	}
	return key
}

// last returns the time of the last in-range hit of a session.
func (l *partColumns) last(row uint32) int64 {
	if l.part.clipped || l.millis[row] == frame.LongSession {
		return l.part.last(row)
	}
	return l.starts.At(row) + int64(l.millis[row])
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
