package resolvers

import (
	"strings"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/auditentry"
	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
)

// filterEntries keeps the entries of an audit log that are all of what a filter says.
func filterEntries(query *ent.AuditEntryQuery, filter *graph.AuditFilter) error {
	if filter == nil {
		return nil
	}
	if filter.UserID != nil {
		query.Where(auditentry.UserID(*filter.UserID))
	}
	if filter.ByServer {
		if filter.UserID != nil {
			return fault.Invalid("filter.byServer", "leaves no room for a person")
		}
		query.Where(auditentry.UserIDIsNil())
	}
	if text := deref(filter.Text); text != "" {
		if strings.ContainsRune(text, 0) {
			return fault.Invalid("filter.text", "must not hold a NUL character")
		}
		if err := validate.Characters("filter.text", text, 1, 200); err != nil {
			return err
		}
		query.Where(auditentry.Or(auditentry.ActionContains(text), auditentry.SubjectContains(text)))
	}
	if filter.Range != nil {
		query.Where(auditentry.CreatedAtGTE(filter.Range.Start), auditentry.CreatedAtLT(filter.Range.End))
	}
	return nil
}
