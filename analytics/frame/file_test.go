package frame

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/internal/mapped"
)

// written returns the bytes of a file, and its checksum.
func written(t require.TestingT, kind FileKind, fill func(*Encoder)) ([]byte, uint32) {
	var b bytes.Buffer
	e := NewEncoder(&b, kind)
	fill(e)
	length, sum, err := e.Close()
	require.NoError(t, err)
	require.EqualValues(t, b.Len(), length)
	return b.Bytes(), sum
}

func fileOf(t require.TestingT, folder string, kind FileKind, fill func(*Encoder)) *mapped.File {
	raw, sum := written(t, kind, fill)
	path := filepath.Join(folder, fmt.Sprint(time.Now().UnixNano()))
	require.NoError(t, os.WriteFile(path, raw, 0o600))
	file, err := mapped.Open(path, int64(len(raw)))
	require.NoError(t, err)
	require.NoError(t, Verify(file.Bytes(), kind, sum))
	return file
}

// saved returns what a dataset is after it was written to files and read from them. With adopt most ids are found
// through their file.
func saved(t require.TestingT, folder string, data *Dataset, adopt bool) *Dataset {
	view := everything(data)
	files := Saved{
		Values:    fileOf(t, folder, ValueFile, data.SaveValues),
		Purchases: fileOf(t, folder, LedgerFile, view.SavePurchases),
	}
	people, custom := view.Visitors, view.CustomIDs
	if adopt {
		files.Visitors = fileOf(t, folder, IDFile, people.Save)
		files.CustomIDs = fileOf(t, folder, IDFile, custom.Save)
		first, err := OpenIDs(files.Visitors)
		require.NoError(t, err)
		people = IDsOf(first)
		first, err = OpenIDs(files.CustomIDs)
		require.NoError(t, err)
		custom = IDsOf(first)
	}
	files.VisitorTail = fileOf(t, folder, TailFile, people.SaveTail)
	files.CustomIDTail = fileOf(t, folder, TailFile, custom.SaveTail)
	for group := range view.TouchGroups() {
		files.Touches = append(files.Touches, fileOf(t, folder, TouchFile, func(e *Encoder) { view.SaveTouches(group, e) }))
	}
	opened, err := OpenDataset(files, ValueBytes)
	require.NoError(t, err)
	for rows, frames := range [RowTypes][]*Frame{Sessions: view.Frames, Runs: view.Runs} {
		for _, f := range frames {
			sealed, err := OpenPart(fileOf(t, folder, PartFile, func(e *Encoder) { data.SavePart(f.Sealed, e) }))
			require.NoError(t, err)
			var overlay *mapped.File
			if f.HasOverlay() {
				overlay = fileOf(t, folder, OverlayFile, f.SaveOverlay)
			}
			again, err := OpenFrame(f.Day, sealed, overlay)
			require.NoError(t, err)
			require.True(t, opened.PutFrame(RowType(rows), nil, again))
		}
	}
	return opened
}

// A dataset that was read from files is what was written, and goes on as if it had stayed in memory.
func TestFilesHoldADataset(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		events := drawFlowEvents(t)
		data := NewDataset()
		data.SetFlowNames(stepNames)
		data.SetNames([]NameRow{{1, SessionStart, ""}, {2, PageView, "/"}, {4, Custom, "buy"}})
		data.Put(Runs, Day(noon), newPart(Runs))
		data.Put(Sessions, Day(noon), newPart(Sessions))
		data.UpsertRuns(rowsOf(t, events))
		visits := rapid.IntRange(0, 40).Draw(t, "visits")
		for i := range visits {
			s := visit(fmt.Sprint("v", i%17), fmt.Sprint("s", i), 1, 2, 4)
			s.Campaign, s.Country, s.Lat, s.Lon, s.HasCoordinates = fmt.Sprint(i%5), "GB", float64(float32(51.5074)), 0, i%2 == 0
			data.Upsert([]Session{s})
			data.SetFirstTouch(&FirstTouch{Visitor: s.Visitor, FirstSeen: noon.UnixMilli(), CustomUserID: fmt.Sprint("c", i%7)})
		}
		data.UpsertPurchases([]Purchase{{ID: 3, Visitor: "v1", At: noon.UnixMilli(), AmountMicros: 5, Product: "p"}})

		opened := saved(t, folder, data, rapid.Bool().Draw(t, "adopt"))
		same := func() {
			a, b := everything(data), everything(opened)
			require.Equal(t, found(t, a), found(t, b))
			require.Equal(t, contents(a.Frames[0], a), contents(b.Frames[0], b))
			require.Equal(t, a.Purchases, b.Purchases)
			require.Equal(t, a.Sources, b.Sources)
			require.Equal(t, fmt.Sprint(a.Places), fmt.Sprint(b.Places))
			require.Equal(t, data.FirstTouches(), opened.FirstTouches())
			for ordinal, id := range a.Visitors.All() {
				require.Equal(t, id, b.Visitors.ID(ordinal))
				require.Equal(t, a.FirstSeen(ordinal), b.FirstSeen(ordinal))
				require.Equal(t, a.CustomIDs.ID(a.Touch(ordinal).CustomID), b.CustomIDs.ID(b.Touch(ordinal).CustomID))
				again, known := b.Ordinal(id)
				require.True(t, known)
				require.Equal(t, ordinal, again)
			}
		}
		same()
		for _, d := range []*Dataset{data, opened} {
			s := visit("v3", "s3", 2, 2)
			d.Upsert([]Session{s, visit("new", "s", 1)})
			d.SetFirstTouch(&FirstTouch{Visitor: "new", FirstSeen: noon.UnixMilli() + 1})
			d.UpsertPurchases([]Purchase{{ID: 3, Visitor: "v2", At: noon.UnixMilli(), AmountMicros: 6, Product: "q"}})
		}
		same()
		ordinals := data.FindVisitors(func(id string) bool { return id == "v3" || id == "v4" })
		require.Equal(t, ordinals, opened.FindVisitors(func(id string) bool { return id == "v3" || id == "v4" }))
		data.RemoveVisitors(ordinals)
		opened.RemoveVisitors(ordinals)
		same()
	})
}

// someFile is a file and its checksum.
type someFile struct {
	raw []byte
	sum uint32
}

func someFiles(t require.TestingT) map[FileKind]someFile {
	data := named()
	long := visit("v2", "c", 1, 3, 4)
	long.Hits[2] = PackHit(noon.Add(20*time.Minute).UnixMilli(), 4)
	data.Put(Sessions, Day(noon), build(data, visit("v1", "a", 1, 2), visit("v2", "b", 1, 3, 4), long))
	data.Upsert([]Session{visit("v1", "a", 1, 2, 5)})
	data.SetFirstTouch(&FirstTouch{Visitor: "v1", FirstSeen: noon.UnixMilli(), CustomUserID: "c"})
	data.SetPurchases([]Purchase{{ID: 1, Visitor: "v2", At: noon.UnixMilli(), AmountMicros: 9, Product: "p"}})
	view := data.View(math.MinInt32, math.MaxInt32)
	files := map[FileKind]someFile{}
	for kind, fill := range map[FileKind]func(*Encoder){
		PartFile:    func(e *Encoder) { data.SavePart(view.Frames[0].Sealed, e) },
		OverlayFile: view.Frames[0].SaveOverlay, TailFile: view.Visitors.SaveTail,
		ValueFile: data.SaveValues, LedgerFile: view.SavePurchases,
		TouchFile: func(e *Encoder) { view.SaveTouches(0, e) },
	} {
		raw, sum := written(t, kind, fill)
		files[kind] = someFile{raw, sum}
	}
	return files
}

// The format is the same from one build to the next until its number is raised: what a server wrote, the next version
// reads, or knows that it can't.
func TestTheFormatOfFilesHasANumber(t *testing.T) {
	require.Equal(t, 6, Format, "the sums below are of this format: write down those of the next")
	sums := map[FileKind]uint32{}
	for kind, file := range someFiles(t) {
		sums[kind] = file.sum
	}
	require.Equal(t, formatSums, sums, "a file means another thing than before: raise Format")
}

// Every flipped bit of every byte is noticed.
func TestDamageIsNoticed(t *testing.T) {
	for kind, file := range someFiles(t) {
		raw, sum := file.raw, file.sum
		require.NoError(t, Verify(raw, kind, sum))
		for at := range raw {
			raw[at] ^= 1 << (at % 8)
			require.ErrorIs(t, Verify(raw, kind, sum), ErrFile, "byte %d", at)
			raw[at] ^= 1 << (at % 8)
		}
		for length := range raw {
			require.ErrorIs(t, Verify(raw[:length], kind, sum), ErrFile)
		}
		require.ErrorIs(t, Verify(raw, kind+1, sum), ErrFile)
	}
}

// A part that is damaged is noticed when it is opened, or by whoever first asks for the values that are; others are
// what they were.
func TestADamagedColumnIsNoticedByWhoeverReadsIt(t *testing.T) {
	folder, file := t.TempDir(), someFiles(t)[PartFile]
	open := func(raw []byte) (*Part, error) {
		path := filepath.Join(folder, fmt.Sprint(time.Now().UnixNano()))
		require.NoError(t, os.WriteFile(path, raw, 0o600))
		mapping, err := mapped.Open(path, int64(len(raw)))
		require.NoError(t, err)
		require.NoError(t, os.Remove(path))
		if err := Check(mapping.Bytes(), PartFile, file.sum, func() {}); err != nil {
			return nil, err
		}
		return OpenPart(mapping)
	}
	intact, err := open(file.raw)
	require.NoError(t, err)
	var vectors []func(*Part) any
	for c := range Columns {
		vectors = append(vectors, func(p *Part) any { return p.Column(c) })
	}
	vectors = append(vectors, func(p *Part) any { return p.Visitors() }, func(p *Part) any { return p.Keys() },
		func(p *Part) any { return p.Offsets() }, func(p *Part) any { return p.Hits() },
		func(p *Part) any { return slices.Collect(p.NameTotals()) }, func(p *Part) any { return p.trails.piece(1) },
		func(p *Part) any { return p.trails.piece(2) },
		func(p *Part) any { return slices.Clone(p.crossings.at(0)) })
	require.True(t, intact.HasTrails())
	require.Len(t, intact.crossings.borders, 1)
	noticed := 0
	for at := range file.raw {
		raw := bytes.Clone(file.raw)
		raw[at] ^= 1 << (at % 8)
		p, err := open(raw)
		if err != nil {
			require.ErrorIs(t, err, ErrFile)
			noticed++
			continue
		}
		damaged := 0
		for _, vector := range vectors {
			for range 2 { // the second time, too
				err := mapped.Guard(func() error {
					require.Equal(t, vector(intact), vector(p))
					return nil
				})
				if err != nil {
					require.ErrorIs(t, err, mapped.ErrFault)
					require.ErrorIs(t, err, ErrFile)
					damaged++
				}
			}
		}
		require.Equal(t, 2, damaged, "byte %d is of one column", at)
	}
	require.Greater(t, noticed, headerBytes+trailerBytes)
	require.Greater(t, len(file.raw)-noticed, 8*int(Columns))
}

// Ids of several pieces are found by number and by text, and one that is damaged is noticed by who looks there alone.
func TestIDsAreCheckedWhereTheyAreLookedFor(t *testing.T) {
	ids, many := newIDs(), 80_000
	for i := range many {
		ids.code(fmt.Sprintf("00000000-0000-7000-8000-%012d", i))
	}
	raw, sum := written(t, IDFile, ids.all().Save)
	open := func(raw []byte) *SavedIDs {
		path := filepath.Join(t.TempDir(), "ids")
		require.NoError(t, os.WriteFile(path, raw, 0o600))
		file, err := mapped.Open(path, int64(len(raw)))
		require.NoError(t, err)
		require.NoError(t, Check(file.Bytes(), IDFile, sum, func() {}))
		saved, err := OpenIDs(file)
		require.NoError(t, err)
		return saved
	}
	saved := open(raw)
	require.NoError(t, Verify(raw, IDFile, sum))
	require.Greater(t, len(saved.of.sums), 3)
	for number := range uint32(many) {
		require.Equal(t, ids.all().ID(number), IDsOf(saved).ID(number))
		found, known := saved.find(ids.all().ID(number))
		require.True(t, known)
		require.Equal(t, number, found)
	}
	_, known := saved.find("nobody")
	require.False(t, known)

	last := bytes.LastIndex(raw, []byte(ids.all().ID(uint32(many-1))))
	raw[last] ^= 1
	require.ErrorIs(t, Verify(raw, IDFile, sum), ErrFile)
	damaged := open(raw)
	require.Equal(t, ids.all().ID(0), damaged.at(0))
	require.ErrorIs(t, mapped.Guard(func() error {
		damaged.at(many - 1)
		return nil
	}), mapped.ErrFault)
}

// A file of any bytes is refused or read, and never more than it has.
func FuzzFiles(f *testing.F) {
	for kind, file := range someFiles(f) {
		f.Add(uint32(kind), file.raw)
	}
	f.Fuzz(func(t *testing.T, kind uint32, raw []byte) {
		raw = append(make([]byte, 0, len(raw)+8), raw...)
		if FileKind(kind).InPieces() {
			in, pieces, err := decodePieces(raw, FileKind(kind))
			if err != nil {
				return
			}
			switch FileKind(kind) {
			case PartFile:
				_, _ = readPieces(in, pieces)
			case TouchFile:
				_, _ = readTouches(in, pieces)
			default:
				_, _ = readSavedIDs(in, pieces)
			}
			return
		}
		in, err := decode(raw, FileKind(kind))
		if err != nil {
			return
		}
		switch FileKind(kind) {
		case OverlayFile:
			get[uint64](in)
			readPart(in, func(int) []byte { return get[byte](in) }, nil)
		case TailFile:
			texts := getTexts(in)
			texts.copied()
		case ValueFile:
			_ = NewDataset().openValues(raw)
		case LedgerFile:
			_ = NewDataset().openPurchases(raw)
		}
	})
}

// formatSums are the checksums of someFiles in the format of now.
var formatSums = map[FileKind]uint32{
	PartFile: 0x3dd49a65, OverlayFile: 0x29b4cba3, TailFile: 0xf4c22749, TouchFile: 0x60f09b6e, ValueFile: 0xf78a0db9,
	LedgerFile: 0x4ce3660f,
}

// What was used a moment ago is not asked for again, but for what was said since to have been read.
func TestAPieceKnowsWhenItWasUsed(t *testing.T) {
	file := someFiles(t)[PartFile]
	path := filepath.Join(t.TempDir(), "part")
	require.NoError(t, os.WriteFile(path, file.raw, 0o600))
	mapping, err := mapped.Open(path, int64(len(file.raw)))
	require.NoError(t, err)
	p, err := OpenPart(mapping)
	require.NoError(t, err)
	asked := func() *askedPiece { return &p.col[Totals].of.asked[p.col[Totals].piece] }
	require.Zero(t, asked().use.Load())
	for _, behind := range []func(){
		func() { p.Behind(Totals) },
		func() { p.BehindOf(0, 1, Totals) },
	} {
		p.Ahead(Totals)
		require.NotZero(t, asked().ahead.Load())
		require.NotZero(t, asked().use.Load())
		behind()
		require.Zero(t, asked().ahead.Load())
		require.Zero(t, asked().use.Load())
	}
}
