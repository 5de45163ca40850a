package manifest

// Platform is where a flow runs.
type Platform string

// The platforms that a capability may be limited to.
const (
	Mobile Platform = "mobile"
	Web    Platform = "web"
)

// Capability is something that works on one platform only (manifest.md §9.2).
type Capability struct {
	Code    string   // surface:<provider> or action:<kind>
	Only    Platform // where it works
	Pointer string
	StepID  string
}

// Capabilities lists what works on one platform only, in document order.
func (m *Manifest) Capabilities() []Capability {
	out := []Capability{}
	for _, p := range m.layers {
		if p.Action == nil {
			continue
		}
		switch p.Action.Kind {
		case "request_os_permission", "request_app_review":
			out = append(out, Capability{"action:" + p.Action.Kind, Mobile, at(p.pointer, "action"), p.screen.ID})
		}
	}
	for i, surface := range m.Surfaces {
		pointer := at("/externalSurfaceNodes", i, "config", "provider")
		code := "surface:" + string(surface.Config.Provider)
		switch surface.Config.Provider {
		case RevenueCat, Superwall:
			out = append(out, Capability{code, Mobile, pointer, surface.ID})
		case Stripe:
			out = append(out, Capability{code, Web, pointer, surface.ID})
		}
	}
	return out
}

// CheckPlatform warns of what will not work on a channel of a platform.
func CheckPlatform(m *Manifest, platform Platform) []Problem {
	var r report
	for _, c := range m.Capabilities() {
		if c.Only != platform {
			r.warn(c.Pointer, c.Code, "This works on %s only.", c.Only)
		}
	}
	return m.withSteps(&r)
}
