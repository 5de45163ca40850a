package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const (
	editDraftBytes = 500_000
	editAlone      = 400  // edits of one editor, one after the other
	editLimit      = 10.0 // milliseconds
	editors        = 20
	editEvents     = 5_000 // events a second beside them
	editTogether   = 12 * time.Second
	editEvery      = 250 * time.Millisecond // of each editor, who drags or writes
	editScreens    = 40
)

// benchEdit measures edits of a large draft: of one editor, and of twenty at once beside events, each a flow's whole
// way through HTTP, GraphQL and rights. The reference stores the same property in the same document by plain SQL.
func benchEdit(ctx context.Context) error {
	return onServer(ctx, measureEdits, "SVC_RATE_LIMIT_KEY=1000000000", "SVC_RATE_LIMIT_ADDRESS=1000000000")
}

func measureEdits(ctx context.Context, s *server) error {
	conn, err := pgx.Connect(ctx, s.file.DatabaseURL)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2 * editors}}
	flow, err := addLargeFlow(ctx, s, client)
	if err != nil {
		return err
	}
	one := &draftEditor{server: s, client: client, flow: flow, id: uuid.NewString(), base: 1, layer: "lyr_0_0"}
	if err := one.catchUp(ctx, conn); err != nil {
		return err
	}
	var took []time.Duration
	for i := range editAlone {
		time.Sleep(time.Second / editsPerSecond)
		began := time.Now()
		if err := one.edit(ctx, 12+i%40); err != nil {
			return err
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	sql, err := storeWhole(ctx, conn, flow)
	if err != nil {
		return err
	}
	const reference = "the whole draft by UPDATE in SQL"
	row("edit of a draft of 500 kB, p50",
		milliseconds(quantile(took, .5)), "ms", milliseconds(quantile(sql, .5)), reference)
	row("  p95", milliseconds(quantile(took, .95)), "ms", milliseconds(quantile(sql, .95)), reference)
	row("  p95", milliseconds(quantile(took, .95)), "ms", editLimit, "limit")
	return editTogetherBeside(ctx, s, client, conn, flow)
}

// editsPerSecond is below what the server takes of one client.
const editsPerSecond = 18

// editTogetherBeside lets editors change one draft at once, first alone and then beside events.
func editTogetherBeside(ctx context.Context, s *server, client *http.Client, conn *pgx.Conn, flow string) error {
	alone, err := editAtOnce(ctx, s, client, conn, flow)
	if err != nil {
		return err
	}
	load := newLoader(s)
	if _, _, err := load.run(ctx, ingestWarmUp, editEvents); err != nil {
		return err
	}
	var events int64
	var waits []time.Duration
	var loadErr error
	var wait sync.WaitGroup
	wait.Go(func() { events, waits, loadErr = load.run(ctx, editTogether, editEvents) })
	beside, err := editAtOnce(ctx, s, client, conn, flow)
	wait.Wait()
	if err := errors.Join(err, loadErr); err != nil {
		return err
	}
	slices.Sort(waits)
	name := fmt.Sprintf("%d editors at once, %d edits", editors, len(beside))
	what := fmt.Sprintf("without events, %d edits", len(alone))
	row(name+", p50", milliseconds(quantile(beside, .5)), "ms", milliseconds(quantile(alone, .5)), what)
	row("  p95", milliseconds(quantile(beside, .95)), "ms", milliseconds(quantile(alone, .95)), what)
	row("  events beside them", float64(events)/editTogether.Seconds(), "ev/s", editEvents, "target")
	row("  acknowledgement of events, p95", milliseconds(quantile(waits, .95)), "ms", 0, "")
	return nil
}

// editAtOnce returns the times of the edits of all editors, each of whom changes another layer.
func editAtOnce(
	ctx context.Context, s *server, client *http.Client, conn *pgx.Conn, flow string,
) ([]time.Duration, error) {
	all := make([]*draftEditor, editors)
	for i := range all {
		all[i] = &draftEditor{server: s, client: client, flow: flow, id: uuid.NewString(),
			layer: fmt.Sprintf("lyr_%d_1", i)}
		if err := all[i].catchUp(ctx, conn); err != nil {
			return nil, err
		}
	}
	times := make([][]time.Duration, editors)
	errs := make([]error, editors)
	began := time.Now()
	var wait sync.WaitGroup
	for i, one := range all {
		wait.Go(func() {
			due := began.Add(editEvery * time.Duration(i) / editors)
			for n := 0; time.Since(began) < editTogether; n++ {
				time.Sleep(time.Until(due))
				if errs[i] = one.edit(ctx, 12+n%40); errs[i] != nil {
					return
				}
				times[i] = append(times[i], time.Since(due))
				due = due.Add(editEvery)
			}
		})
	}
	wait.Wait()
	took := slices.Concat(times...)
	slices.Sort(took)
	return took, errors.Join(errs...)
}

// draftEditor is an open editor that changes the size of one text.
type draftEditor struct {
	server   *server
	client   *http.Client
	flow, id string
	layer    string
	base     int
	sequence int
}

// catchUp takes the draft's revision for the editor's.
func (e *draftEditor) catchUp(ctx context.Context, conn *pgx.Conn) error {
	return conn.QueryRow(ctx, `select draft_revision from flows where id = $1`, e.flow).Scan(&e.base)
}

// edit sends a batch as the dashboard does, and asks for what others did since.
func (e *draftEditor) edit(ctx context.Context, size int) error {
	const change = `mutation($i: EditDraftInput!) { editDraft(input: $i) {
		revision outcomes { step inverse refusal { code } } others { revision steps } reset } }`
	e.sequence++
	_, content, err := e.server.ask(ctx, e.client, e.server.file.APIKey, change, map[string]any{"i": map[string]any{
		"flowId": e.flow, "baseRevision": e.base, "clientId": e.id, "sequence": e.sequence,
		"steps": []any{map[string]any{"name": "Change size", "operations": []any{map[string]any{
			"op": "set", "node": e.layer, "path": []string{"style", "fontSize"}, "value": size,
		}}}},
	}})
	if err != nil {
		return err
	}
	var answer struct {
		Data struct {
			EditDraft struct {
				Revision int
				Outcomes []struct{ Refusal *struct{ Code string } }
			}
		}
	}
	if err := json.Unmarshal(content, &answer); err != nil {
		return err
	}
	made := answer.Data.EditDraft
	if len(made.Outcomes) != 1 || made.Outcomes[0].Refusal != nil {
		return fmt.Errorf("the edit was not applied: %.300s", content)
	}
	e.base = made.Revision
	return nil
}

// addLargeFlow makes a flow whose draft has about editDraftBytes.
func addLargeFlow(ctx context.Context, s *server, client *http.Client) (string, error) {
	var screens []any
	size := 0
	for i := range editScreens {
		var layers []any
		for j := 0; size < editDraftBytes*(i+1)/editScreens; j++ {
			layer := map[string]any{
				"id": fmt.Sprintf("lyr_%d_%d", i, j), "kind": "text",
				"text": map[string]any{"default": fmt.Sprintf("Text %d of screen %d, as people write them", j, i)},
				"style": map[string]any{"fontSize": 16, "fontWeight": 400, "width": "full", "height": "auto",
					"color": map[string]any{"light": "#14213d", "dark": "#f5f5f5"}},
			}
			text, err := json.Marshal(layer)
			if err != nil {
				return "", err
			}
			size += len(text)
			layers = append(layers, layer)
		}
		screens = append(screens, map[string]any{
			"id": fmt.Sprintf("scr_%d", i), "name": fmt.Sprintf("Screen %d", i),
			"regions": map[string]any{"body": map[string]any{
				"id": fmt.Sprintf("lyr_body_%d", i), "kind": "stack", "direction": "vertical", "children": layers,
			}},
			"next": map[string]any{"default": fmt.Sprintf("scr_%d", min(i+1, editScreens-1))},
		})
	}
	screens[editScreens-1].(map[string]any)["next"] = map[string]any{"default": nil}
	draft := map[string]any{
		"flowId": uuid.NewString(), "schemaVersion": 7, "version": 1, "defaultLocale": "en", "locales": []string{"en"},
		"entryScreenId": "scr_0", "screens": screens,
	}
	const create = `mutation($i: CreateFlowInput!) { createFlow(input: $i) { id } }`
	_, content, err := s.ask(ctx, client, s.file.APIKey, create, map[string]any{"i": map[string]any{
		"appId": s.file.Apps[0].ID, "name": "Large", "manifest": draft,
	}})
	if err != nil {
		return "", fmt.Errorf("create a large flow: %w", err)
	}
	var answer struct {
		Data struct{ CreateFlow struct{ ID string } }
	}
	err = json.Unmarshal(content, &answer)
	return answer.Data.CreateFlow.ID, err
}

// storeWhole returns the times that SQL takes to set a property of the same document in a copy of its row.
func storeWhole(ctx context.Context, conn *pgx.Conn, flow string) ([]time.Duration, error) {
	if _, err := conn.Exec(ctx,
		`create table bench_draft as select id, draft::jsonb draft from flows where id = $1`, flow); err != nil {
		return nil, err
	}
	var took []time.Duration
	for i := range editAlone / 4 {
		began := time.Now()
		if _, err := conn.Exec(ctx, `update bench_draft set draft = jsonb_set(draft,
			'{screens,0,regions,body,children,0,style,fontSize}', to_jsonb($1::int))`, 12+i%40); err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	_, err := conn.Exec(ctx, `drop table bench_draft`)
	return took, err
}
