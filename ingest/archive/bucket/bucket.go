// Package bucket keeps exports in storage that speaks the protocol of Amazon S3.
package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"regexp"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/svc-dev/svc/ingest/archive/parquetfiles"
)

// Bounds in bytes.
const (
	partBytes = 16 << 20 // of a file that is sent in parts
	maxRead   = 64 << 20 // of a manifest: of some 200,000 files
)

// maxObjects bounds how many objects are listed of an environment: each takes some 200 bytes of memory.
const maxObjects = 250_000

// ErrTooMany says that there are more objects than an export writes.
var ErrTooMany = fmt.Errorf("the prefix holds more than %d objects", maxObjects)

// Address says where a bucket is and what opens it.
type Address struct {
	Endpoint  string // an http or https URL without a path
	Region    string // empty: the storage is asked
	Bucket    string
	Prefix    string // of the names of all files, without slashes at its ends; may be empty
	AccessKey string
	SecretKey string
}

// names is what buckets may be called (docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html).
var names = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// Bounds of an address in bytes.
const (
	maxEndpoint, maxPrefix = 2048, 512
	maxRegion, maxKey      = 64, 256

	badKey = "must have 1 to 256 characters, none of them a space, a quote or a backslash"
)

// Problem is what is wrong with a field of an address.
type Problem struct{ Field, Message string }

func (p *Problem) Error() string { return p.Field + " " + p.Message }

// Check reports what makes an address unusable, as a Problem.
func (a Address) Check() error {
	u, err := url.Parse(a.Endpoint)
	switch {
	case err != nil || len(a.Endpoint) > maxEndpoint || (u.Scheme != "https" && u.Scheme != "http") ||
		u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return &Problem{"endpoint", "must be a URL such as https://s3.eu-central-1.amazonaws.com"}
	case !names.MatchString(a.Bucket) || strings.Contains(a.Bucket, "..") || net.ParseIP(a.Bucket) != nil:
		return &Problem{"bucket", "must be 3 to 63 lower case letters, digits, dots and hyphens"}
	case len(a.Prefix) > maxPrefix || !plain(a.Prefix) || (a.Prefix != "" && path.Clean("/"+a.Prefix) != "/"+a.Prefix):
		return &Problem{"prefix", "must be a path such as exports/svc"}
	case len(a.Region) > maxRegion || !plain(a.Region):
		return &Problem{"region", "must be a name such as eu-central-1"}
	case a.AccessKey == "" || len(a.AccessKey) > maxKey || !plain(a.AccessKey):
		return &Problem{"accessKey", badKey}
	case a.SecretKey == "" || len(a.SecretKey) > maxKey || !plain(a.SecretKey):
		return &Problem{"secretKey", badKey}
	}
	return nil
}

// plain tells whether a text is of printable ASCII without quotes and backslashes, which need no care in headers, file
// names and statements.
func plain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`'"\`, r) })
}

// Bucket is a place for files of an export. It belongs to one export, which writes files at the same time and asks for
// sizes before.
type Bucket struct {
	address Address
	client  *minio.Client
	sizes   map[string]int64 // by object, nil until they are asked for
}

// Open returns the place at an address, which it checks but does not reach. Transport nil is the default one.
func Open(a Address, transport http.RoundTripper) (*Bucket, error) {
	a.Prefix = strings.Trim(a.Prefix, "/")
	if err := a.Check(); err != nil {
		return nil, err
	}
	u, err := url.Parse(a.Endpoint)
	if err != nil {
		return nil, err
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds: credentials.NewStaticV4(a.AccessKey, a.SecretKey, ""), Secure: u.Scheme == "https", Region: a.Region,
		Transport: transport, MaxRetries: 3,
	})
	if err != nil {
		return nil, err
	}
	return &Bucket{address: a, client: client}, nil
}

func (b *Bucket) object(name string) string { return path.Join(b.address.Prefix, name) }

// URL returns the name of a file, or the beginning of names, as DuckDB takes it.
func (b *Bucket) URL(name string) string {
	object := b.object(name)
	if strings.HasSuffix(name, "/") {
		object += "/"
	}
	return "s3://" + b.address.Bucket + "/" + object
}

func (b *Bucket) Read(ctx context.Context, name string) ([]byte, error) {
	object, err := b.client.GetObject(ctx, b.address.Bucket, b.object(name), minio.GetObjectOptions{})
	if err != nil {
		return nil, missing(err)
	}
	defer object.Close()
	text, err := io.ReadAll(io.LimitReader(object, maxRead+1))
	if err == nil && len(text) > maxRead {
		err = fmt.Errorf("%s has more than %d bytes", name, maxRead)
	}
	return text, missing(err)
}

// Size returns the bytes of a file. All are asked for by few requests.
func (b *Bucket) Size(ctx context.Context, name string) (int64, error) {
	if b.sizes == nil {
		sizes := map[string]int64{}
		folder, _, _ := strings.Cut(name, "/")
		listing, end := context.WithCancel(ctx)
		defer end()
		for object := range b.client.ListObjects(listing, b.address.Bucket, minio.ListObjectsOptions{
			Prefix: b.object(folder) + "/", Recursive: true,
		}) {
			if object.Err != nil {
				return 0, object.Err
			}
			if sizes[object.Key] = object.Size; len(sizes) > maxObjects {
				return 0, ErrTooMany
			}
		}
		b.sizes = sizes
	}
	size, there := b.sizes[b.object(name)]
	if !there {
		return 0, fs.ErrNotExist
	}
	return size, nil
}

// Write makes a file on the disk first: storage wants to know the bytes, and a request that failed is sent again.
func (b *Bucket) Write(ctx context.Context, name string, content func(io.Writer) error) (size int64, err error) {
	file, err := os.CreateTemp("", "svc-export-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	if size, err = parquetfiles.Fill(file, content); err != nil {
		return 0, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	_, err = b.client.PutObject(ctx, b.address.Bucket, b.object(name), file, size, minio.PutObjectOptions{
		PartSize: partBytes, NumThreads: 1, ContentType: "application/octet-stream",
	})
	return size, err
}

func (b *Bucket) Remove(ctx context.Context, name string) error {
	return b.client.RemoveObject(ctx, b.address.Bucket, b.object(name), minio.RemoveObjectOptions{})
}

// missing turns the answer that there is no such object into fs.ErrNotExist.
func missing(err error) error {
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return err
}

// Explain says what storage answered, in words for whoever keeps the bucket; false when it was nothing that it said.
func Explain(err error) (string, bool) {
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) {
		return "", false
	}
	switch answer.Code {
	case minio.AccessDenied:
		return "the storage refuses access: the key needs to list, read, write and delete objects of the bucket", true
	case minio.NoSuchBucket:
		return "there is no such bucket", true
	case "AuthorizationHeaderMalformed", "PermanentRedirect", minio.InvalidRegion:
		if plain(answer.Region) && answer.Region != "" && len(answer.Region) <= maxRegion {
			return "the bucket is in the region " + answer.Region, true
		}
		return "the bucket is in another region", true
	case "RequestTimeTooSkewed":
		return "the clocks of the server and the storage differ by more than 15 minutes", true
	case "InvalidAccessKeyId":
		return "the storage does not know the access key", true
	case "SignatureDoesNotMatch":
		return "the secret key does not belong to the access key", true
	}
	return fmt.Sprintf("the storage answered %d", answer.StatusCode), true
}
