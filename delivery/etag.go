package delivery

import (
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// ETag returns the entity tag of a flow: the quoted string
// "{assignmentVersion}-{versionId}" (wire.md §3.7). Clients rebuild it from the
// entries of resolve-all, so its form can't change.
func ETag(assignmentVersion int, versionID uuid.UUID) string {
	return `"` + strconv.Itoa(assignmentVersion) + "-" + versionID.String() + `"`
}

// MatchesETag tells whether one of the If-None-Match header values names tag.
// Lists and weak tags are understood, and compared without their weakness;
// "*" never matches, because a client that holds no body must get one
// (wire.md §3.7). What is not an entity tag is passed over.
func MatchesETag(values []string, tag string) bool {
	for _, value := range values {
		if listMatches(value, tag) {
			return true
		}
	}
	return false
}

func listMatches(list, tag string) bool {
	for {
		list = strings.TrimLeft(list, " \t,")
		if list == "" {
			return false
		}
		list = strings.TrimPrefix(list, "W/")
		if !strings.HasPrefix(list, `"`) {
			// Not a tag: the rest of this element is passed over.
			_, rest, more := strings.Cut(list, ",")
			if !more {
				return false
			}
			list = rest
			continue
		}
		end := strings.IndexByte(list[1:], '"')
		if end < 0 {
			return false
		}
		end += 2 // both quotes
		if list[:end] == tag {
			return true
		}
		list = list[end:]
	}
}
