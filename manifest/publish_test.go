package manifest

import "testing"

func TestExamplesPassTheGates(t *testing.T) {
	everything := PublishOptions{Integrations: map[Provider]bool{RevenueCat: true, Superwall: true, Stripe: true}}
	for name, raw := range exampleFiles(t) {
		m, problems := Parse(raw)
		if m == nil {
			t.Fatal(problems)
		}
		for _, p := range CheckPublish(m, everything) {
			t.Logf("%s: %s %s %v", name, p.Severity, p.Code, p)
			if p.Severity == Error {
				t.Fail()
			}
		}
	}
}
