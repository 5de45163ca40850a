package flow

import (
	"time"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/portions"
	"github.com/svc-dev/svc/analytics/report"
)

// stream reads the portions of a source for all selections of a request.
type stream struct {
	*portions.Shared[*frame.View]
	source report.Source
}

func newStream(source report.Source, shareFor time.Duration) *stream {
	return &stream{portions.Share(shareFor, source.Each), source}
}
