package bodylimit_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/bodylimit"
)

const mebibyte = 1 << 20

// request has a body whose length is announced, or not when it is negative.
func request(body io.Reader, length int64) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", io.NopCloser(body))
	r.ContentLength = length
	return r
}

func pack(t testing.TB, coding bodylimit.Coding, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var writer io.WriteCloser
	switch coding {
	case bodylimit.Plain:
		return data
	case bodylimit.Gzip:
		writer = gzip.NewWriter(&out)
	case bodylimit.Zstd:
		encoder, err := zstd.NewWriter(&out)
		require.NoError(t, err)
		writer = encoder
	}
	_, err := writer.Write(data)
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	return out.Bytes()
}

func TestBodiesAreReadWhateverTheirFormAndSize(t *testing.T) {
	t.Parallel()
	budget := bodylimit.New(0)
	for _, coding := range []bodylimit.Coding{bodylimit.Plain, bodylimit.Gzip, bodylimit.Zstd} {
		for _, size := range []int{0, 1, 4 << 10, 4<<10 + 1, bodylimit.Large, mebibyte, mebibyte + mebibyte/2} {
			want := make([]byte, size)
			_, _ = rand.Read(want[:size/2])
			packed := pack(t, coding, want)
			for _, announced := range []int64{int64(len(packed)), -1} {
				hold := budget.Hold("a")
				got, err := hold.ReadBody(request(bytes.NewReader(packed), announced), 2*mebibyte, coding)
				require.NoError(t, err)
				require.True(t, bytes.Equal(want, got), "%s of %d bytes", coding, size)
				if size > 4<<10 {
					require.GreaterOrEqual(t, budget.Taken(), int64(size))
					require.LessOrEqual(t, budget.Taken(), int64(2*size))
				}
				hold.Release()
				require.Zero(t, budget.Taken())
			}
		}
	}
}

func TestBodiesThatAreTooLargeOrBrokenAreNamed(t *testing.T) {
	t.Parallel()
	budget := bodylimit.New(0)
	zeros := make([]byte, 64*mebibyte)
	bomb, frames := pack(t, bodylimit.Gzip, zeros), pack(t, bodylimit.Zstd, zeros)
	// A frame that says it needs a window of 128 MiB, and one block.
	window := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 17 << 3, 0x09, 0x00, 0x00, 'x'}
	for name, c := range map[string]struct {
		body   io.Reader
		length int64
		coding bodylimit.Coding
		want   error
	}{
		"announced too large":   {strings.NewReader(""), 2*mebibyte + 1, bodylimit.Plain, bodylimit.ErrTooLarge},
		"too large":             {bytes.NewReader(zeros), -1, bodylimit.Plain, bodylimit.ErrTooLarge},
		"a bomb":                {bytes.NewReader(bomb), int64(len(bomb)), bodylimit.Gzip, bodylimit.ErrTooLarge},
		"a bomb of zstd":        {bytes.NewReader(frames), int64(len(frames)), bodylimit.Zstd, bodylimit.ErrTooLarge},
		"packed form too large": {bytes.NewReader(zeros), -1, bodylimit.Gzip, bodylimit.ErrTooLarge},
		"ends early":            {strings.NewReader("abc"), 4, bodylimit.Plain, bodylimit.ErrBroken},
		"breaks off":            {iotest.ErrReader(io.ErrUnexpectedEOF), -1, bodylimit.Plain, bodylimit.ErrBroken},
		"no gzip":               {strings.NewReader("abc"), 3, bodylimit.Gzip, bodylimit.ErrBroken},
		"half a gzip":           {bytes.NewReader(bomb[:20]), 20, bodylimit.Gzip, bodylimit.ErrBroken},
		"no zstd":               {strings.NewReader("abc"), 3, bodylimit.Zstd, bodylimit.ErrBroken},
		"window too large":      {bytes.NewReader(window), int64(len(window)), bodylimit.Zstd, bodylimit.ErrBroken},
		"too slow":              {iotest.ErrReader(os.ErrDeadlineExceeded), 5, bodylimit.Plain, bodylimit.ErrTooSlow},
	} {
		hold := budget.Hold("a")
		_, err := hold.ReadBody(request(c.body, c.length), 2*mebibyte, c.coding)
		require.ErrorIs(t, err, c.want, name)
		hold.Release()
		require.Zero(t, budget.Taken(), name)
	}
}

// What a body takes follows what has arrived, not what was announced.
func TestABodyTakesWhatHasArrived(t *testing.T) {
	t.Parallel()
	budget := bodylimit.New(0)
	source, sink := io.Pipe()
	hold := budget.Hold("a")
	read := make(chan error)
	go func() {
		_, err := hold.ReadBody(request(source, 20*mebibyte), 20*mebibyte, bodylimit.Plain)
		read <- err
	}()
	for range 3 {
		_, err := sink.Write(make([]byte, 100<<10))
		require.NoError(t, err)
	}
	require.LessOrEqual(t, budget.Taken(), int64(1<<20))
	require.NoError(t, sink.Close())
	require.ErrorIs(t, <-read, bodylimit.ErrBroken)
}

// A client has its share, and the rest stays for others.
func TestOneClientLeavesRoomForOthers(t *testing.T) {
	t.Parallel()
	budget := bodylimit.New(128 * mebibyte)
	var holds []bodylimit.Hold
	take := func(client string, n int64) error {
		hold := budget.Hold(client)
		err := hold.Resize(n)
		holds = append(holds, hold)
		return err
	}
	require.NoError(t, take("a", 40*mebibyte))
	require.NoError(t, take("a", 24*mebibyte))
	require.ErrorIs(t, take("a", 1), bodylimit.ErrFull)
	require.NoError(t, take("b", 40*mebibyte))
	require.NoError(t, take("c", 24*mebibyte))
	require.ErrorIs(t, take("d", 1), bodylimit.ErrFull)
	require.EqualValues(t, 128*mebibyte, budget.Taken())

	part := holds[0].Split(10 * mebibyte)
	holds[0].Release()
	require.EqualValues(t, 98*mebibyte, budget.Taken())
	require.NoError(t, take("d", 30*mebibyte))
	part.Release()
	part.Release()
	for i := range holds {
		holds[i].Release()
	}
	require.Zero(t, budget.Taken())
}

func TestABodyThatFindsTheBudgetFullIsRefused(t *testing.T) {
	t.Parallel()
	budget := bodylimit.New(0)
	most := budget.Hold("a")
	require.NoError(t, most.Resize(43*mebibyte))
	hold := budget.Hold("b")
	_, err := hold.ReadBody(request(bytes.NewReader(make([]byte, 2*mebibyte)), -1), 20*mebibyte, bodylimit.Plain)
	require.ErrorIs(t, err, bodylimit.ErrFull)
	hold.Release()
	small := budget.Hold("b")
	require.NoError(t, most.Resize(44*mebibyte))
	_, err = small.ReadBody(request(strings.NewReader(`{"userId":"u"}`), 14), 256<<10, bodylimit.Plain)
	require.NoError(t, err, "small bodies never wait for the large ones")
}

// occupy takes every turn and returns what ends each.
func occupy(t *testing.T, budget *bodylimit.Budget) (ends []func()) {
	t.Helper()
	for range min(max(1, runtime.GOMAXPROCS(0)/2), 2) {
		hold := budget.Hold("first")
		end, err := hold.Turn(t.Context())
		require.NoError(t, err)
		ends = append(ends, end)
	}
	return ends
}

// One that sends many bodies waits longer than one that sends one.
func TestTurnsGoRoundTheClients(t *testing.T) {
	t.Parallel()
	budget := bodylimit.New(0)
	ends := occupy(t, budget)
	const many = 10
	order := make(chan string, many+1)
	var waiting sync.WaitGroup
	wait := func(client string, upTo int) {
		waiting.Go(func() {
			hold := budget.Hold(client)
			end, err := hold.Turn(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			order <- client
			end()
		})
		for budget.Waiting(client) < upTo {
			runtime.Gosched()
		}
	}
	for i := range many {
		wait("many", i+1)
	}
	wait("one", 1)
	ends[0]()
	waiting.Wait()
	require.Contains(t, []string{<-order, <-order}, "one")
	for _, end := range ends[1:] {
		end()
	}
}

func TestWaitingForATurnEndsWithTheRequest(t *testing.T) {
	t.Parallel()
	budget := bodylimit.New(0)
	ends := occupy(t, budget)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	hold := budget.Hold("a")
	_, err := hold.Turn(cancelled)
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, budget.Waiting("a"))
	for _, end := range ends {
		end()
	}
	for _, end := range occupy(t, budget) { // every turn is there again
		end()
	}
}

func TestWithoutABudgetThereAreNoBounds(t *testing.T) {
	t.Parallel()
	var budget *bodylimit.Budget
	hold := budget.Hold("a")
	body, err := hold.ReadBody(request(bytes.NewReader(make([]byte, mebibyte)), -1), mebibyte, bodylimit.Plain)
	require.NoError(t, err)
	require.Len(t, body, mebibyte)
	end, err := hold.Turn(t.Context())
	require.NoError(t, err)
	end()
	require.Nil(t, hold.Split(1))
	require.NoError(t, hold.Split(1).Resize(7))
}

func FuzzReadBody(f *testing.F) {
	f.Add("gzip", []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Add("zstd", []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0, 1, 0, 0})
	f.Add("", []byte("{}"))
	f.Fuzz(func(t *testing.T, coding string, data []byte) {
		if coding != "gzip" && coding != "zstd" {
			coding = ""
		}
		const limit = 1000
		budget := bodylimit.New(0)
		hold := budget.Hold("a")
		body, err := hold.ReadBody(request(bytes.NewReader(data), -1), limit, bodylimit.Coding(coding))
		if err == nil {
			require.LessOrEqual(t, len(body), limit)
		} else {
			require.True(t, errors.Is(err, bodylimit.ErrTooLarge) || errors.Is(err, bodylimit.ErrBroken), err)
		}
		hold.Release()
		require.Zero(t, budget.Taken())
	})
}
