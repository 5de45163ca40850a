package ingest

import "testing"

// BenchmarkValidate checks the texts of one event as the web SDK sends it. It
// allocates nothing.
func BenchmarkValidate(b *testing.B) {
	event := ProductEvent{
		EventID: "0197aa00-0000-7000-8000-00000000000a", Name: "page_view",
		AppUserID: "5f0e8c1e-1111-4222-8333-00000000000a", SessionID: "0197aa00-0000-7000-8000-0000000000aa",
		Page: "/pricing/1", Platform: "web", AppVersion: "1.4.0", Locale: "en-GB", Browser: "Safari", OS: "macOS",
		Device: "desktop",
	}
	b.ReportAllocs()
	for b.Loop() {
		if reject := event.checkTexts(); reject != nil {
			b.Fatal(reject.Message)
		}
	}
}
