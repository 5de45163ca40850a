package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
)

// exportPage is the page size of a list that is read whole: what a page of the
// widest list costs stays far below what the server allows a request.
const exportPage = 1000

// pagedList is what an operation answers at a path: a list that has pages, or an
// object of which one member is such a list.
type pagedList struct {
	operation string   // document
	path      []string // of the answer
	member    string   // the list in the answer; "" when the answer is the list
	maxBytes  int      // of the answers to all pages of readAll; 0 has no bound
}

// listPage is a page of a list.
type listPage struct {
	Nodes    []json.RawMessage `json:"nodes"`
	PageInfo struct {
		HasNextPage bool    `json:"hasNextPage"`
		EndCursor   *string `json:"endCursor"`
	} `json:"pageInfo"`
	TotalCount *int `json:"totalCount,omitempty"`
}

// hasNext tells whether another page follows that can be asked for.
func (p listPage) hasNext() bool { return p.PageInfo.HasNextPage && p.PageInfo.EndCursor != nil }

// read asks for the report: one page, or all pages of a list that is written as
// rows.
func (r productReport) read(
	ctx context.Context, server api, variables map[string]any, f scopeFlags,
) (json.RawMessage, error) {
	if !r.paged() || !wantsAllRows(f) {
		return server.query(ctx, r.list.operation, variables, r.list.path...)
	}
	return r.list.readAll(ctx, server, variables, exportPage, math.MaxInt)
}

// wantsAllRows tells whether all rows of a list are written for a program to read.
func wantsAllRows(f scopeFlags) bool {
	form := f.text("output")
	return (form == "csv" || form == "jsonl") && !f.set.Changed("first") && !f.set.Changed("after")
}

// readAll follows the cursors of the list, a page at a time, until it has so many
// rows. What one page holds is answered as it is. Of several pages the answer is
// the first one's, with the rows of all and the end of the last; a list that is the answer itself says the rest as its
// last page does.
func (l pagedList) readAll(
	ctx context.Context, server api, variables map[string]any, page, rows int,
) (json.RawMessage, error) {
	var first json.RawMessage
	var all listPage
	read := 0
	for {
		variables["first"] = min(page, rows-len(all.Nodes))
		data, err := server.query(ctx, l.operation, variables, l.path...)
		if err != nil {
			return nil, err
		}
		if read += len(data); l.maxBytes > 0 && read > l.maxBytes {
			return nil, server.tooLong()
		}
		next, err := l.pageOf(data)
		if err != nil {
			return nil, err
		}
		if first == nil {
			first, all.TotalCount = data, next.TotalCount
		}
		all.Nodes, all.PageInfo = append(all.Nodes, next.Nodes...), next.PageInfo
		if next.hasNext() && len(all.Nodes) < rows {
			variables["after"] = *next.PageInfo.EndCursor
			continue
		}
		if len(all.Nodes) == len(next.Nodes) {
			return data, nil
		}
		if l.member == "" {
			first = data // what it says beside its rows, such as whether it is complete, is so at the end
		}
		return l.withPage(first, all)
	}
}

// pageOf finds the page of the list in an answer.
func (l pagedList) pageOf(answer json.RawMessage) (page listPage, err error) {
	if l.member != "" {
		if answer, err = descend(answer, []string{l.member}); err != nil {
			return listPage{}, err
		}
	}
	if err := json.Unmarshal(answer, &page); err != nil {
		return listPage{}, fmt.Errorf("read answer: %w", err)
	}
	return page, nil
}

// withPage returns an answer with another page of the list.
func (l pagedList) withPage(answer json.RawMessage, page listPage) (json.RawMessage, error) {
	decoded, err := decodeOrdered(answer)
	if err != nil {
		return nil, err
	}
	object, _ := decoded.(members)
	if l.member == "" {
		for i, entry := range object {
			switch entry.key {
			case "nodes":
				object[i].value = page.Nodes
			case "pageInfo":
				object[i].value = page.PageInfo
			}
		}
		return encodeJSON(object)
	}
	for i, entry := range object {
		if entry.key == l.member {
			object[i].value = page
		}
	}
	return encodeJSON(object)
}

// encodeJSON writes a value; raw JSON in it stays as it is but for its spaces.
func encodeJSON(v any) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return out.Bytes(), err
}
