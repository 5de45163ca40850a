package uploads

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/ingest/history"
	"github.com/svc-dev/svc/internal/fault"
)

// parts reads the file of an upload from its first byte, a part at a time.
type parts struct {
	ctx  context.Context
	pool *pgxpool.Pool
	id   uuid.UUID
	next int64  // the byte at which the next part begins
	left []byte // of the part that is read
	read func(int)
}

func (p *parts) Read(into []byte) (int, error) {
	if len(p.left) == 0 {
		err := p.pool.QueryRow(p.ctx, `select content from history_upload_part where upload_id = $1 and position = $2`,
			p.id, p.next).Scan(&p.left)
		if errors.Is(err, pgx.ErrNoRows) {
			return 0, io.EOF
		}
		if err != nil {
			return 0, err
		}
		p.next += int64(len(p.left))
	}
	n := copy(into, p.left)
	p.left = p.left[n:]
	p.read(n)
	return n, nil
}

func (p *parts) Close() error { return nil }

// Bounds of what a file unpacks to: of an import, and of a preview, whose lines are at most half of that.
const (
	maxUnpacked = 32 << 30
	maxPreview  = 2 * previewLines * maxPreviewLine
)

// file returns the file as it was uploaded; read hears how many bytes were read.
func (u *Uploads) file(ctx context.Context, i *Import, read func(int)) io.ReadCloser {
	return &parts{ctx: ctx, pool: u.DB.Pool, id: i.ID, read: read}
}

// Preview is what the first lines of a file become.
type Preview struct {
	Events  []*Event
	Totals  []*history.Total
	Rejects []*Reject
	LeftOut int    // lines that are no act of a person
	Problem string // why the file can't be read at all
}

// Event is a line of a file as it would be stored.
type Event struct {
	Line       int64
	Name       string
	At         time.Time
	AppUserID  string
	Page       *string
	SessionID  *string
	Country    *string
	Source     *string // that visitors came from
	Properties *string // JSON
}

// previewLines bounds what a preview reads.
const previewLines = 20

// Preview reads the first lines of a file whose first parts are there at least; zone is that of times that name none.
func (u *Uploads) Preview(ctx context.Context, i *Import, zone string) (*Preview, error) {
	if _, err := account.Authorize(ctx, i.owner.Workspace, account.AppSettings); err != nil {
		return nil, err
	}
	at, err := location(zone)
	if err != nil {
		return nil, err
	}
	shown := &Preview{Events: []*Event{}, Totals: []*history.Total{}, Rejects: []*Reject{}}
	if i.Received == 0 {
		return shown, nil
	}
	if i.Source.HoldsTotals() {
		u.previewTotals(ctx, i, shown)
		return shown, nil
	}
	file, err := i.Source.Lines(u.file(ctx, i, func(int) {}), maxPreview)
	if err != nil {
		shown.Problem = problemOf(err)
		return shown, nil
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxPreviewLine)
	how := history.Reading{Started: time.Now(), Zone: at}
	for number, read := int64(1), 0; read < previewLines && lines.Scan(); number++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		read++
		converted, reject := i.Source.Convert(line, how)
		switch {
		case reject != nil:
			shown.Rejects = append(shown.Rejects, &Reject{number, reject.EventID, reject.Code, reject.Message})
		case converted == nil:
			shown.LeftOut++
		default:
			shown.Events = append(shown.Events, eventOf(number, converted))
		}
	}
	if err := lines.Err(); err != nil {
		shown.Problem = problemOf(err)
	}
	return shown, nil
}

// previewTotals reads the first rows of the tables of a file.
func (u *Uploads) previewTotals(ctx context.Context, i *Import, shown *Preview) {
	totals, rejects, err := history.PreviewTotals(func() (io.ReadCloser, error) {
		return u.file(ctx, i, func(int) {}), nil
	}, maxUnpacked, previewLines)
	if err != nil {
		shown.Problem = problemOf(err)
	}
	for _, total := range totals {
		shown.Totals = append(shown.Totals, &total)
	}
	for _, reject := range rejects {
		shown.Rejects = append(shown.Rejects, &Reject{reject.Line, "", reject.Code, reject.Message})
	}
}

// maxPreviewLine is that of an import.
const maxPreviewLine = 1 << 20

func eventOf(number int64, event *ingest.HistoryEvent) *Event {
	shown := &Event{
		Line: number, Name: event.Name, At: event.Timestamp, AppUserID: event.AppUserID, Page: textOf(event.ScreenName),
		SessionID: textOf(event.SessionID), Source: textOf(event.Context.Attribution["source"]),
	}
	if event.Place != nil {
		shown.Country = textOf(event.Place.Country)
	}
	if len(event.Properties) > 0 {
		properties, _ := json.Marshal(event.Properties) // they were read as JSON
		shown.Properties = textOf(string(properties))
	}
	return shown
}

// textOf returns nil for an empty text.
func textOf(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// problemOf says what is wrong with a file, and of what is wrong with us that it is.
func problemOf(err error) string {
	if isOurs(err) {
		return "the server could not read the file: try again"
	}
	var told *fault.Error
	switch {
	case errors.As(err, &told):
		return told.Message
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Sprintf("a line is longer than %d bytes", maxPreviewLine)
	}
	return err.Error()
}
