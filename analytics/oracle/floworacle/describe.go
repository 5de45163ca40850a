package floworacle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/run"
)

// Describe writes the runs of a world, each with its events in order, so that they can be compared with stored ones.
func Describe(w World) []string {
	var list []string
	for _, r := range runsOf(w) {
		var b strings.Builder
		custom := ""
		for _, e := range r.events {
			if custom == "" {
				custom = e.CustomProperties
			}
		}
		writeHead(&b, r.person, r.key, r.start, r.last, r.completed, r.abandoned, r.release, r.client, custom)
		for _, e := range r.events {
			from := "-"
			if e.From != nil {
				from = fmt.Sprintf("%q", *e.From)
			}
			fmt.Fprintf(&b, "\n  %d %d %s %q %s %q %q %x", e.At, e.Seq, e.Name, e.Step, from, e.Subject, e.Value, e.key())
		}
		list = append(list, b.String())
	}
	slices.Sort(list)
	return list
}

// DescribeRows writes the runs of stored rows as [Describe] does those of a world. Text returns what an id stands for.
func DescribeRows(rows []run.Row, text func(id int32) string) ([]string, error) {
	var list []string
	for i := range rows {
		runs, err := rows[i].Runs(text)
		if err != nil {
			return nil, fmt.Errorf("read the runs of %s: %w", rows[i].Person, err)
		}
		for _, r := range runs {
			var b strings.Builder
			writeHead(&b, r.Person, frame.RunKey(&r), r.StartedAt, r.LastAt, r.Completed, r.Abandoned, r.Release, r.Client,
				r.CustomProperties)
			for _, h := range r.Hits {
				from := "-"
				switch h.From {
				case 0:
				case run.FromStart:
					from = `""`
				default:
					from = fmt.Sprintf("%q", text(h.From))
				}
				fmt.Fprintf(&b, "\n  %d %d %s %q %s %q %q %x", h.At, h.Seq, h.Name, text(h.Step), from, text(h.Subject),
					text(h.Value), h.Key)
			}
			list = append(list, b.String())
		}
	}
	slices.Sort(list)
	return list, nil
}

func writeHead(
	b *strings.Builder, person string, key frame.Key, start, last int64, completed, abandoned bool, release run.Release,
	client run.Client, custom string,
) {
	fmt.Fprintf(b, "%q %x %d..%d completed %v abandoned %v %x %q %q", person, key, start, last, completed, abandoned,
		release, client, custom)
}
