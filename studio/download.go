package studio

import (
	"errors"
	"mime"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/httpserver"
)

// ExportPath is where flows are downloaded as one file.
const ExportPath = "/v1/flows/{flowId}/export"

// exportStatuses are the statuses of refusals; others are 500.
var exportStatuses = map[fault.Code]int{
	fault.Unauthenticated: http.StatusUnauthorized, fault.Forbidden: http.StatusForbidden,
	fault.NotFound: http.StatusNotFound, fault.Conflict: http.StatusConflict, fault.InvalidInput: http.StatusBadRequest,
	fault.Unavailable: http.StatusServiceUnavailable,
}

// Download answers [ExportPath] with an exported flow. The caller identifies who asks.
func (s *Studio) Download(w http.ResponseWriter, r *http.Request) {
	id, err := uuid.Parse(r.PathValue("flowId"))
	if err != nil {
		s.refuseDownload(w, r, fault.Missing("flow"))
		return
	}
	content, err := s.ExportFlow(r.Context(), id)
	if err != nil {
		s.refuseDownload(w, r, err)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "application/zip")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{
		"filename": fileNameOf(content.Index.Name) + ".zip",
	}))
	if err := content.Write(w); err != nil {
		if r.Context().Err() == nil {
			s.logger.ErrorContext(r.Context(), "exporting a flow broke off", "flow", id, "error", err)
		}
		panic(http.ErrAbortHandler) // what was sent is no whole file, and must not look like one
	}
}

func (s *Studio) refuseDownload(w http.ResponseWriter, r *http.Request, err error) {
	var refused *fault.Error
	if !errors.As(err, &refused) {
		s.logger.ErrorContext(r.Context(), "exporting a flow failed", "error", err)
		refused = fault.New(fault.Internal, "the flow can't be exported now")
	}
	status, known := exportStatuses[refused.Code]
	if !known {
		status = http.StatusInternalServerError
	}
	httpserver.WriteError(w, r, status, string(refused.Code), refused.Error())
}

// fileNameOf leaves out of a name what no file may be called.
func fileNameOf(name string) string {
	kept := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '-'
		}
		return r
	}, name)
	return strings.Trim(kept, " .")
}
