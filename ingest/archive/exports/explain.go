package exports

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/svc-dev/svc/automation/webhook"
	"github.com/svc-dev/svc/ingest/archive/bucket"
	"github.com/svc-dev/svc/ingest/archive/parquetfiles"
	"github.com/svc-dev/svc/internal/seal"
)

// explain says in a sentence why an export failed, to whoever keeps the bucket. What is wrong with the server stands in
// its log. A request may have taken timeout.
func (x *Exports) explain(ctx context.Context, err error, timeout time.Duration) string {
	var request *url.Error
	var connection *net.OpError
	reason, answered := bucket.Explain(err)
	switch {
	case answered:
	case errors.Is(err, parquetfiles.ErrOtherApp):
		reason = "the prefix holds the export of another app: choose another one"
	case errors.Is(err, parquetfiles.ErrManifest):
		reason = "the file manifest.json in the bucket is of no export that this version of Svc can go on with"
	case errors.Is(err, errLongAnswer), errors.Is(err, bucket.ErrTooMany), errors.Is(err, errSlow),
		errors.Is(err, errArchived):
		reason = unwrapped(err)
	case errors.Is(err, seal.ErrUnknownKey):
		reason = "the server lacks the key that the secret access key is encrypted with: enter it again"
	case errors.As(err, &request), errors.As(err, &connection), errors.Is(err, context.DeadlineExceeded):
		reason = "the storage can't be reached: " + webhook.Explain(err, timeout)
	default:
		x.Logger.ErrorContext(ctx, "an export failed", "error", err)
		reason = "the server failed: its log says why"
	}
	return strings.ToUpper(reason[:1]) + reason[1:] + "."
}

// unwrapped returns the text of the one of our errors that err is.
func unwrapped(err error) string {
	for _, known := range []error{errLongAnswer, bucket.ErrTooMany, errArchived} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return errSlow.Error()
}
