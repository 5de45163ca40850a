package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// userOf is the group of a line of these tests.
func userOf(line []byte) []byte {
	_, user, _ := bytes.Cut(line, []byte(`"appUserId":`))
	return user
}

func groupLines(t *testing.T, text string) (batches []*batch) {
	t.Helper()
	lines, err := newLineReader(strings.NewReader(text))
	require.NoError(t, err)
	grouped, err := newGroupedReader(lines, userOf)
	require.NoError(t, err)
	for {
		b, err := grouped.read()
		if errors.Is(err, io.EOF) {
			return batches
		}
		require.NoError(t, err)
		batches = append(batches, b)
	}
}

// Every line is in one batch under its number, those of a group one behind another in the order of the file, and
// memory does not grow with a portion's largest group.
func TestLinesAreGrouped(t *testing.T) {
	const users, lines = 3000, 60_000
	random := rand.New(rand.NewPCG(7, 8))
	var text strings.Builder
	want := map[int64]string{}
	var count, long int64
	write := func(line string) {
		text.WriteString(line + "\n")
		if count++; strings.TrimSpace(line) != "" && len(line) <= maxLine {
			want[count] = line
		}
	}
	for i := range lines {
		user := 0 // has half of the lines: more than are sorted at once
		if i%2 == 1 {
			user = 1 + random.IntN(users)
		}
		write(fmt.Sprintf(`{"n":%d,"is":%q,"appUserId":"u%d"}`, i, strings.Repeat("x", 500), user))
		if i%10_000 == 0 {
			write("  ")
			write(strings.Repeat("y", 3*maxLine))
			long++
		}
	}
	got, parts, largest, last := map[int64]string{}, map[string]int{}, 0, ""
	var counted, tooLong int64
	batches := groupLines(t, text.String())
	for i, b := range batches {
		require.LessOrEqual(t, len(b.lines), batchLines)
		counted, tooLong = counted+b.count, tooLong+int64(len(b.tooLong))
		require.EqualValues(t, 1, b.first)
		require.Equal(t, i == len(batches)-1, b.after == count+1, "all is stored at the end only")
		size := 0
		for j, line := range b.lines {
			require.Empty(t, got[b.numbers[j]], "once")
			got[b.numbers[j]] = string(line)
			size += len(line)
			if user := string(userOf(line)); user != last {
				parts[user]++
				last = user
			}
		}
		largest = max(largest, size)
	}
	require.Equal(t, want, got)
	require.Equal(t, count, counted)
	require.Equal(t, long, tooLong)
	require.LessOrEqual(t, largest, batchBytes+maxLine)
	delete(parts, `"u0"}`)
	split := 0
	for _, n := range parts {
		split += n - 1
	}
	require.Less(t, split, len(parts)/20, "users whose lines are not together")
}

// Portions follow each other, and begin anew with the line of a portion.
func TestGroupedPortionsAreTheSameFromTheirFirstLine(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	var lines []string
	for size := 0; size < 3*portionBytes; { // bytes that nothing packs
		line := make([]byte, 200_000)
		for i := range line {
			line[i] = byte(max(' ', random.Uint32()&0xff))
		}
		lines = append(lines, fmt.Sprintf(`%s"appUserId":%d`, line, random.IntN(50)))
		size += len(line)
	}
	all := groupLines(t, strings.Join(lines, "\n"))
	var firsts []int64
	for _, b := range all {
		if len(firsts) == 0 || firsts[len(firsts)-1] != b.first {
			firsts = append(firsts, b.first)
		}
	}
	require.Len(t, firsts, 3)
	second := groupLines(t, strings.Join(lines[firsts[1]-1:], "\n"))
	for _, b := range all {
		if b.first == firsts[1] {
			require.Equal(t, b.lines, second[0].lines)
			second = second[1:]
		}
	}
}

func TestAnInterruptedImportOfGroupsGoesOn(t *testing.T) {
	db := pgtest.New(t)
	importer := startImporter(t, db)
	const portion, after = 3*batchLines + 7, batchLines
	line := func(i int) string {
		user := i * 7919 % 500
		if i%5 == 0 {
			user = 0 // has more than are looked up by their person
		}
		return fmt.Sprintf(
			`{"eventId":"e%d","name":"x","timestamp":"2024-02-01T00:00:%02dZ","appUserId":"u%d"}`, i, i%60, user,
		)
	}
	var text strings.Builder
	for i := range portion {
		text.WriteString(line(i) + "\n")
	}
	text.WriteString("{broken\n")
	grouped := func(im *Import) { im.GroupOf = userOf }
	summary, said, err := importText(t, importer, text.String(), grouped)
	require.NoError(t, err)
	require.Equal(t, ImportCounts{Lines: portion + 1, Stored: portion, Rejected: 1}, summary)
	require.Len(t, said.rejects, 1)
	require.EqualValues(t, portion+1, said.rejects[0].Line)
	for _, step := range said.steps {
		require.Equal(t, Step{Lines: step.Lines, Resume: 1}, step, "a portion begins anew as a whole")
	}
	require.EqualValues(t, portion+1, said.steps[len(said.steps)-1].Lines)

	// A run that was ended within the portion left a part of it; the next one goes on there, and once more.
	for i := portion; i < portion+after; i++ {
		text.WriteString(line(i) + "\n")
	}
	summary, _, err = importText(t, importer, text.String(), func(im *Import) { im.GroupOf, im.From = userOf, 2 })
	require.NoError(t, err)
	require.EqualValues(t, portion+1+after, summary.Lines, "what it had not stored makes it begin at the first line")
	require.Zero(t, summary.ResumedAt)
	summary, said, err = importText(t, importer, text.String(), func(im *Import) { im.GroupOf, im.From = userOf, 2 })
	require.NoError(t, err)
	require.Equal(
		t, ImportCounts{Lines: portion + after, Duplicates: portion + after - 1, Rejected: 1, ResumedAt: 2}, summary,
	)
	require.EqualValues(t, 2, said.steps[0].Resume)
	_, err = db.Pool.Exec(t.Context(), `truncate event_seen`) // the ledger forgets, the stored events don't
	require.NoError(t, err)
	summary, _, err = importText(t, importer, text.String(), grouped)
	require.NoError(t, err)
	require.Equal(t, ImportCounts{Lines: portion + 1 + after, Duplicates: portion + after, Rejected: 1}, summary)

	want := exported(t, db, copied, Range{})
	summary, _, err = importText(t, importer, text.String(), func(im *Import) {
		im.History = ingest.History{
			EnvironmentID: original, ReceivedAt: im.History.ReceivedAt}
	})
	require.NoError(t, err)
	require.EqualValues(t, portion+after, summary.Stored)
	sessions, touches := state(t, db, original)
	copiedSessions, copiedTouches := state(t, db, copied)
	require.JSONEq(t, sessions, copiedSessions, "grouping changes nothing of what is stored")
	require.JSONEq(t, touches, copiedTouches)
	require.Equal(t, strings.Count(want, "\n"), portion+after)
}
