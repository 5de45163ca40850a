package media

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDirectoryKeepsByContent(t *testing.T) {
	path := t.TempDir()
	store, err := NewDirectory(path)
	require.NoError(t, err)
	ctx := context.Background()
	sha, size, err := store.Put(ctx, strings.NewReader("hello"), "png", 5)
	require.NoError(t, err)
	require.Equal(t, int64(5), size)
	require.Equal(t, "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824", sha)
	again, _, err := store.Put(ctx, strings.NewReader("hello"), "png", 5)
	require.NoError(t, err)
	require.Equal(t, sha, again)

	file, err := store.Open(ctx, sha, "png")
	require.NoError(t, err)
	defer file.Close()
	content, err := io.ReadAll(file)
	require.NoError(t, err)
	require.Equal(t, "hello", string(content))

	_, _, err = store.Put(ctx, strings.NewReader("hello!"), "png", 5)
	require.ErrorIs(t, err, ErrTooLarge)
	_, _, err = store.Put(ctx, io.MultiReader(strings.NewReader("a"), broken{}), "png", 5)
	require.ErrorContains(t, err, "store the file")
	_, err = store.Open(ctx, sha, "gif")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = store.Open(ctx, "../../etc/passwd", "png")
	require.ErrorIs(t, err, fs.ErrNotExist)
	left, err := os.ReadDir(path)
	require.NoError(t, err)
	require.Len(t, left, 1, "no temporary file stays")
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the line went dead") }

func TestRecognize(t *testing.T) {
	const png, jpeg, mp4, ttf = "\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "\x00\x00\x00\x18ftypmp42", "\x00\x01\x00\x00"
	for _, step := range []struct {
		kind            Type
		name, declared  string
		head, extension string
	}{
		{Image, "a.png", "image/png", png, "png"},
		{Image, "a.png", "image/x-png", png, "png"},
		{Image, "a.JPEG", "image/pjpeg; q=1", jpeg, "jpg"},
		{Image, "noname", "", jpeg, "jpg"},
		{Image, "a.svg", "image/svg+xml", `<?xml version="1.0"?><svg>`, "svg"},
		{Video, "a.mp4", "video/mp4", mp4, "mp4"},
		{Video, "a.mov", "video/quicktime", mp4, "mov"},
		{Font, "a.ttf", "application/octet-stream", ttf, "ttf"},
		{Font, "a.otf", "font/otf", ttf, "otf"},
		{Lottie, "a.json", "text/json", `  {"layers":[]}`, "json"},
		{Image, "a.png", "image/gif", png, ""},
		{Image, "a.gif", "", png, ""},
		{Video, "a.png", "", png, ""},
		{Lottie, "a.json", "", "[1]", ""},
		{"sound", "a.mp3", "", "ID3", ""},
		{Image, "", "", "", ""},
	} {
		format, err := Recognize(step.kind, step.name, step.declared, []byte(step.head))
		if step.extension == "" {
			require.Error(t, err, "%v", step)
			continue
		}
		require.NoError(t, err, "%v", step)
		require.Equal(t, step.extension, format.Extension)
	}
	require.Error(t, CheckLottie([]byte(`{"layers"`)))
	require.Error(t, CheckLottie([]byte(`{}`)))
	require.NoError(t, CheckLottie([]byte(`{"layers":[]}`)))
}
