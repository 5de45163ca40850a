package ingest

import (
	"fmt"
	"strings"
	"testing"
)

// benchBody returns what our web SDK sends: n events, shared identity and context
// repeated in each.
func benchBody(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"events":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(
			&b,
			`{"eventId":"0197aa00-0000-7000-8000-%012x","name":"page_view","timestamp":"2026-11-21T09:59:59.%03dZ","screenName":"/pricing/%d","identity":{"appUserId":"5f0e8c1e-1111-4222-8333-%012x","sessionId":"0197aa00-0000-7000-8000-0000000000aa"},"context":{"platform":"web","appVersion":"1.4.0","locale":"en-GB","browser":"Safari","os":"macOS","device":"desktop","attribution":{"attribution.provider":"web_first_party","attribution.isOrganic":false,"acquisition.source":"google","acquisition.channel":"cpc","acquisition.campaign":"spring","link.ext.referrer":"www.google.com","link.ext.landing_url":"https://example.com/?utm_source=google"}},"properties":{"plan":"pro","price":12.5,"trial":true}}`,
			i, i%1000, i%50, i/20,
		)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

func BenchmarkDecodeProduct(b *testing.B) {
	for _, n := range []int{20, 500} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			body := benchBody(n)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				batch, err := DecodeProduct(body, rules)
				if err != nil || len(batch.Events) != n {
					b.Fatal(err, batch.Rejected)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/event")
		})
	}
}
