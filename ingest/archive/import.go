package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/svc-dev/svc/ingest"
)

// inFlight is how many batches are on their way at the same time, enough to keep
// the writers busy while the next lines are read.
const inFlight = 6

// ImportCounts counts the lines of an import.
type ImportCounts struct {
	Lines      int64 `json:"lines"` // read, blank ones among them
	Stored     int64 `json:"stored"`
	Duplicates int64 `json:"duplicates"` // stored before, or twice in the file
	Rejected   int64 `json:"rejected"`
	LeftOut    int64 `json:"leftOut,omitempty"` // by Convert
	// ResumedAt is the line at which an interrupted import went on; 0 when it
	// began at the first.
	ResumedAt int64 `json:"resumedAtLine,omitempty"`
}

// With returns these counts, of the lines before the one at which a run went on, together with those of what the run
// has read up to some line; a run that began at the first line has none before it.
func (c ImportCounts) With(run ImportCounts) ImportCounts {
	if run.ResumedAt > 0 {
		run.Lines += c.Lines
		run.Stored += c.Stored
		run.Duplicates += c.Duplicates
		run.Rejected += c.Rejected
		run.LeftOut += c.LeftOut
	}
	run.ResumedAt = 0
	return run
}

// Reject names a line that was not stored.
type Reject struct {
	Line    int64  `json:"line"` // from 1
	EventID string `json:"eventId,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Import are the lines of one file and what is told about them.
type Import struct {
	To      *ingest.Importer // started
	History ingest.History
	DryRun  bool // check the lines only
	// Convert makes an event of a line of the file, or rejects it; nil without a reject is a line that is left out.
	// Without Convert the lines are what To takes.
	Convert func(line []byte) (*ingest.HistoryEvent, *ingest.Reject)
	// GroupOf names the group of a line, such as its user, of a file that has the lines of a group far from each other:
	// they are stored together, within portions of the file. Nil stores the lines in the order of the file.
	GroupOf func(line []byte) []byte
	// MaxRejected ends the import with ErrTooManyRejected behind the batch that goes beyond it; 0 is no bound.
	MaxRejected int64
	// Open returns the file from its beginning. It is called again only when From
	// turns out to be wrong.
	Open func() (io.ReadCloser, error)
	// From is the line to go on with; 0 is the first. It has to be the Resume of an
	// earlier Step: the batch there was stored then. Where the database does not
	// know it, because it was restored from a backup or is another one, the import
	// begins at the first line.
	From     int64
	Rejected func(Reject) // in the order in which lines are stored
	Step     func(Step)   // after each batch, in the same order
}

// Step is how far an import has come.
type Step struct {
	Lines  int64        // everything before this line and itself is stored or rejected
	Resume int64        // where an import that ends now may go on
	Before ImportCounts // of the lines before Resume that this run read
}

// ErrTooManyRejected says that a file is probably not what it was taken for.
var ErrTooManyRejected = errors.New("too many lines were rejected")

// errNotStored says that what an earlier run stored is not there.
var errNotStored = errors.New("the stored part of the file is not in the database")

// Run imports the file. On an error what was read so far may be stored; importing
// it again does no harm. The summary counts what this run did.
func (im *Import) Run(ctx context.Context) (ImportCounts, error) {
	summary, err := im.run(ctx, im.From)
	if errors.Is(err, errNotStored) {
		summary, err = im.run(ctx, 0)
	}
	if err != nil {
		return summary, fmt.Errorf("import events: %w", err)
	}
	return summary, nil
}

// pendingBatch is a batch on its way.
type pendingBatch struct {
	*batch
	answer  ingest.Answer
	leftOut int
	err     error
	done    chan struct{}
}

func (im *Import) run(ctx context.Context, from int64) (ImportCounts, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var summary ImportCounts
	file, err := im.Open()
	if err != nil {
		return summary, err
	}
	defer file.Close()
	reader, err := newLineReader(file)
	if err != nil {
		return summary, err
	}
	if from > 1 {
		summary.ResumedAt = from
		if err := reader.skip(from); err != nil && !errors.Is(err, io.EOF) {
			return summary, err
		}
	}
	im.History.Together = im.GroupOf != nil
	batches, err := im.batches(reader)
	if err != nil {
		return summary, err
	}
	works, readError := im.send(ctx, batches)
	resuming, before := from > 1, summary
	for w := range works {
		if <-w.done; w.err != nil {
			return summary, w.err
		}
		if resuming && w.answer.Stored > 0 {
			return ImportCounts{}, errNotStored
		}
		resuming = false
		if w.first >= summary.Lines+max(1, from) {
			before = summary // grouped lines go on where their portion begins
		}
		im.report(w, &summary, before)
		if im.MaxRejected > 0 && summary.Rejected > im.MaxRejected {
			return summary, ErrTooManyRejected
		}
	}
	return summary, errors.Join(*readError, ctx.Err())
}

// batchReader reads the batches of a file, and io.EOF behind the last one.
type batchReader interface{ read() (*batch, error) }

func (im *Import) batches(reader *lineReader) (batchReader, error) {
	if im.GroupOf == nil {
		return reader, nil
	}
	return newGroupedReader(reader, im.GroupOf)
}

// send reads batches and hands them to ingest. The channel has them in the order
// of the file; the error may be read when it is closed.
func (im *Import) send(ctx context.Context, reader batchReader) (<-chan *pendingBatch, *error) {
	works, failed := make(chan *pendingBatch, inFlight), new(error)
	go func() {
		defer close(works)
		for {
			b, err := reader.read()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					*failed = err
				}
				return
			}
			w := &pendingBatch{batch: b, done: make(chan struct{})}
			select {
			case works <- w:
			case <-ctx.Done():
				return
			}
			go func() {
				defer close(w.done)
				im.take(ctx, w)
			}()
		}
	}()
	return works, failed
}

// take converts the lines of a batch and stores or checks them.
func (im *Import) take(ctx context.Context, w *pendingBatch) {
	var refused []ingest.Reject
	if im.Convert == nil {
		w.answer, w.err = im.takeLines(ctx, w.lines)
	} else {
		var events []*ingest.HistoryEvent
		events, refused = im.convert(w)
		w.answer, w.err = im.takeEvents(ctx, events)
	}
	if w.err != nil {
		return
	}
	for i := range w.answer.Rejected {
		w.answer.Rejected[i].Index = int(w.numbers[w.answer.Rejected[i].Index] - w.first)
	}
	w.answer.Rejected = append(w.answer.Rejected, refused...)
	slices.SortFunc(w.answer.Rejected, func(a, b ingest.Reject) int { return cmp.Compare(a.Index, b.Index) })
}

func (im *Import) takeLines(ctx context.Context, lines [][]byte) (ingest.Answer, error) {
	if im.DryRun {
		return im.To.Check(lines, im.History), nil
	}
	return im.To.Store(ctx, lines, im.History)
}

func (im *Import) takeEvents(ctx context.Context, events []*ingest.HistoryEvent) (ingest.Answer, error) {
	if im.DryRun {
		return im.To.CheckEvents(events, im.History), nil
	}
	return im.To.StoreEvents(ctx, events, im.History)
}

// convert returns the events that the lines of a batch become, whose lines it leaves the numbers of, and why other
// lines become none; the index of a reject is that of its line, from the first of the batch.
func (im *Import) convert(w *pendingBatch) (events []*ingest.HistoryEvent, refused []ingest.Reject) {
	var numbers []int64
	for i, line := range w.lines {
		event, reject := im.Convert(line)
		switch {
		case reject != nil:
			reject.Index = int(w.numbers[i] - w.first)
			refused = append(refused, *reject)
		case event == nil:
			w.leftOut++
		default:
			events, numbers = append(events, event), append(numbers, w.numbers[i])
		}
	}
	w.lines, w.numbers = nil, numbers
	return events, refused
}

// report counts a finished batch and reports on it. Before counts the lines before its first.
func (im *Import) report(w *pendingBatch, summary *ImportCounts, before ImportCounts) {
	summary.Lines += w.count
	summary.LeftOut += int64(w.leftOut)
	summary.Stored += int64(w.answer.Stored)
	summary.Duplicates += int64(w.answer.Duplicates)
	summary.Rejected += int64(len(w.answer.Rejected) + len(w.tooLong))
	long := w.tooLong
	tellLong := func(before int64) {
		for ; len(long) > 0 && long[0] < before; long = long[1:] {
			im.Rejected(
				Reject{
					Line: long[0], Code: ingest.CodeEventInvalid, Message: fmt.Sprintf("the line is longer than %d bytes", maxLine),
				},
			)
		}
	}
	for _, r := range w.answer.Rejected {
		line := w.first + int64(r.Index)
		tellLong(line)
		im.Rejected(Reject{Line: line, EventID: r.EventID, Code: r.Code, Message: r.Message})
	}
	tellLong(w.after)
	im.Step(Step{Lines: w.after - 1, Resume: w.first, Before: before})
}
