package frame

import (
	"bytes"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/internal/mapped"
)

func TestChecksumsOfBlocksMakeThatOfBoth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "first")
		second := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "second")
		sum := func(bytes []byte) uint32 { return crc32.Checksum(bytes, castagnoli) }
		require.Equal(t, sum(slices.Concat(first, second)), joined(sum(first), sum(second), len(second)))
	})
}

// Hits that are read in blocks, of some rows in any order, some of them twice, are those that were written; those that
// are not are noticed at last, whichever of them were used.
func TestHitsAreReadInBlocks(t *testing.T) {
	data := NewDataset()
	data.SetNames([]NameRow{{ID: 1, Kind: Custom, Text: "a"}})
	noon := time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	builder := data.NewBuilder()
	for i := range 50 {
		s := Session{Visitor: string(rune('a' + i)), ID: "s", HomeDay: Day(noon)}
		for h := range i % 7 {
			s.Hits = append(s.Hits, PackHit(noon.UnixMilli()+int64(i*1000+h), 1))
		}
		builder.Add(&s)
	}
	part := builder.Seal()
	raw, _ := written(t, PartFile, func(e *Encoder) { data.SavePart(part, e) })
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		content := slices.Clone(raw)
		damaged := rapid.Bool().Draw(t, "damaged")
		if damaged {
			hits := bytesOfAll(part.Hits())
			content[bytes.Index(content, hits)+rapid.IntRange(0, len(hits)-1).Draw(t, "byte")]++
		}
		path := filepath.Join(folder, "part")
		require.NoError(t, os.WriteFile(path, content, 0o600))
		file, err := mapped.Open(path, int64(len(content)))
		require.NoError(t, err)
		saved, err := OpenPart(file)
		require.NoError(t, err)
		var b mapped.Buffer
		read := func() {
			for range rapid.IntRange(0, 12).Draw(t, "blocks") {
				from := uint32(rapid.IntRange(0, saved.Len()).Draw(t, "from"))
				to := uint32(rapid.IntRange(int(from), min(saved.Len(), int(from)+20)).Draw(t, "to"))
				hits := saved.HitsPast(from, to, &b)
				if !damaged {
					off := part.Offsets()
					require.Equal(t, part.Hits()[off[from]:off[to]], append([]int64{}, hits...))
				}
			}
			saved.SettleHits(&b)
		}
		if damaged {
			require.Panics(t, read)
			require.Panics(t, func() { saved.Hits() })
			return
		}
		read()
		require.True(t, saved.hits.of.known[saved.hits.piece].Load())
		require.Equal(t, part.Hits(), saved.Hits())
	})
}
