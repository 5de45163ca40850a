package main

import (
	"encoding/json"
	"slices"
	"strconv"
)

// rowList is one list of an answer. Most answers are one; an overview, people who
// are online or retention with its breakdowns have several.
type rowList struct {
	name  string // "" when the answer is one list
	rows  []value
	total int // of all pages; 0 when the list has none
	// object: the only row is not of a list.
	object bool
	beside members // what a connection says beside its rows, such as totals or whether it is incomplete
}

// more tells whether there are further pages.
func (l rowList) more() bool { return l.total > len(l.rows) }

// totals is the name of what an answer says beside its lists.
const totals = "totals"

// listsOf takes an answer apart: a list is itself, a connection its nodes; of an
// object with lists among its members each is one, and the other members are one
// row before them.
func listsOf(v value) []rowList {
	switch v := v.(type) {
	case nil:
		return []rowList{{}}
	case []value:
		return []rowList{{rows: expand(v)}}
	case members:
		if nodes, ok := v.get("nodes").([]value); ok {
			return []rowList{connectionList("", v, nodes)}
		}
		return objectLists(v)
	}
	return []rowList{{rows: []value{members{{"value", v}}}, object: true}}
}

func objectLists(object members) []rowList {
	var rest members
	var lists []rowList
	for _, entry := range object {
		switch inner := entry.value.(type) {
		case []value:
			if _, shares := sharesOf(inner); shares {
				rest = append(rest, entry)
			} else {
				lists = append(lists, rowList{name: entry.key, rows: expand(inner)})
			}
		case members:
			if nodes, ok := inner.get("nodes").([]value); ok {
				lists = append(lists, connectionList(entry.key, inner, nodes))
			} else if holdsShares(inner) {
				lists = append(lists, rowList{name: entry.key, rows: []value{inner}, object: true})
			} else {
				rest = append(rest, entry)
			}
		default:
			rest = append(rest, entry)
		}
	}
	if len(lists) == 0 {
		return []rowList{{rows: []value{rest}, object: true}}
	}
	if len(rest) > 0 {
		lists = append([]rowList{{name: totals, rows: []value{rest}, object: true}}, lists...)
	}
	return lists
}

func connectionList(name string, v members, nodes []value) rowList {
	list := rowList{name: name, rows: expand(nodes)}
	if total, ok := v.get("totalCount").(json.Number); ok {
		list.total, _ = strconv.Atoi(total.String()) // an Int of the schema
	}
	for _, entry := range v {
		if !slices.Contains([]string{"nodes", "pageInfo", "totalCount"}, entry.key) {
			list.beside = append(list.beside, entry)
		}
	}
	return list
}

// expand makes one row a value and point of series by value.
func expand(list []value) []value {
	var rows []value
	for _, item := range list {
		if series, ok := item.(members); ok && series.has("points") {
			rows = append(rows, pointsOf(series)...)
			continue
		}
		rows = append(rows, item)
	}
	return rows
}

func pointsOf(series members) []value {
	var labels members
	for _, entry := range series {
		if entry.key != "points" {
			labels = append(labels, entry)
		}
	}
	points, _ := series.get("points").([]value)
	rows := make([]value, 0, len(points))
	for _, point := range points {
		// The dotted names of flatten keep a point's value apart from the series'.
		rows = append(rows, append(append(members{}, labels...), member{"points", point}))
	}
	return rows
}

// sharesOf reads a list of shares by offset (ReturnedShare).
func sharesOf(v value) (shares []members, ok bool) {
	list, isList := v.([]value)
	for _, item := range list {
		share, isObject := item.(members)
		if !isObject || !share.has("offset") {
			return nil, false
		}
		shares = append(shares, share)
	}
	return shares, isList && len(list) > 0
}

func holdsShares(object members) bool {
	for _, entry := range object {
		if _, ok := sharesOf(entry.value); ok {
			return true
		}
	}
	return false
}

// labelRows returns the rows of all lists; of several lists each row begins with the
// name of its own.
func labelRows(lists []rowList) []value {
	var rows []value
	for _, l := range lists {
		for _, row := range l.rows {
			if object, ok := row.(members); ok && l.name != "" {
				row = append(members{{"list", l.name}}, object...)
			}
			rows = append(rows, row)
		}
	}
	return rows
}
