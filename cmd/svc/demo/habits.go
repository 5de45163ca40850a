package demo

import (
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/svc-dev/svc/manifest"
)

// oldestVersion is the version of the app that has faults: it can't show counters, and its store does not answer.
const oldestVersion = "2.3.0"

// habits are how a person goes through flows.
type habits struct {
	hurry float64 // times the chance to leave
	pace  float64 // times the time for a step
	purse float64 // times the chance to take an offer
	price float64 // times the chance to leave at an offer
}

// habitsOf returns the habits of the person of a visit: their own, and those of their platform, language, app version
// and campaign.
func (w *World) habitsOf(of Event) habits {
	rng := w.draw(of.Identity.AppUserID)
	h := habits{
		hurry: math.Exp(0.35 * rng.NormFloat64()), pace: math.Exp(0.25 * rng.NormFloat64()),
		purse: math.Exp(0.3 * rng.NormFloat64()),
		price: 1,
	}
	switch of.Context.Platform {
	case "ios":
		h.purse *= 1.3
	case "android":
		h.hurry, h.purse = h.hurry*1.2, h.purse*0.8
	case "web":
		h.hurry, h.purse = h.hurry*1.3, h.purse*0.9
	}
	switch language, _, _ := strings.Cut(of.Context.Locale, "-"); language {
	case "en", "de":
		h.hurry *= 0.9
	default: // not translated
		h.hurry, h.pace, h.purse = h.hurry*1.35, h.pace*1.2, h.purse*0.7
	}
	if of.Context.Locale == dearLocale {
		h.price = 4
	}
	if of.Context.AppVersion == oldestVersion {
		h.hurry *= 1.15
	}
	switch of.Context.Attribution["acquisition.campaign"] {
	case "brand":
		h.hurry, h.purse = h.hurry*0.8, h.purse*1.4
	case storyCampaign:
		h.hurry, h.purse = h.hurry*0.6, h.purse*1.8
	case "install-eu":
		h.hurry, h.purse = h.hurry*1.3, h.purse*0.7
	}
	return h
}

// draw returns randomness that follows from the seed and what it is for: what else was drawn does not change it.
func (w *World) draw(purpose string) *rand.Rand {
	return rand.New(rand.NewPCG(w.seed, xxhash.Sum64String(purpose)))
}

// share returns a number from 0 to 1 that follows from a name alone.
func share(name string) float64 { return float64(xxhash.Sum64String(name)>>11) / (1 << 53) }

// burden is how hard a kind of step is: the chance to leave there, and the median time that it takes.
type burden struct {
	leave float64
	dwell time.Duration
}

func (s *Served) burdenOf(on *screen) burden {
	switch {
	case on.loader != nil:
		return burden{0.02, 4500 * time.Millisecond}
	case s.sells(on):
		return burden{0.11, 13 * time.Second}
	case on.has("request_os_permission"):
		return burden{0.06, 5 * time.Second}
	case on.input == nil && on.id == s.entry:
		return burden{0.09, 5 * time.Second}
	case on.input == nil:
		return burden{0.03, 4 * time.Second}
	case on.input.Kind == manifest.KindTextInput:
		return burden{0.08, 11 * time.Second}
	case on.input.Kind == manifest.KindMultipleChoice:
		return burden{0.028, 8 * time.Second}
	}
	return burden{0.018, 5 * time.Second}
}

// commitment is what the first step does to the rest of a run: people who were asked something at once want to see what
// comes of it.
func (s *Served) commitment() float64 {
	if entry := s.screens[s.entry]; entry == nil || entry.input == nil {
		return 1.3
	}
	return 0.85
}

// leaves tells whether a person gives up on a step.
func (h habits) leaves(rng *rand.Rand, step string, of burden, commitment float64) bool {
	return rng.Float64() < min(0.6, of.leave*(0.6+0.8*share(step))*h.hurry*commitment)
}

// dwell returns how long a person takes for a step, which is distributed log-normally. A few put the device away.
func (h habits) dwell(rng *rand.Rand, step string, of burden) time.Duration {
	took := float64(of.dwell) * (0.75 + 0.5*share("dwell "+step)) * h.pace * math.Exp(0.55*rng.NormFloat64())
	if rng.Float64() < 0.004 {
		took += float64(35*time.Minute) + rng.Float64()*float64(50*time.Minute)
	}
	return max(400*time.Millisecond, time.Duration(took)).Truncate(time.Millisecond)
}

// liking is how much the people of a world like an option, so that answers have a shape.
func (w *World) liking(field, option string) float64 {
	liked := w.draw(field + "=" + option).Float64()
	return 0.25 + 2*liked*liked
}

// weighted is a name that is drawn as often as its weight says.
type weighted struct {
	name   string
	weight int
}

func pickName(rng *rand.Rand, list []weighted) string {
	return pick(rng, list, func(w weighted) int { return w.weight }).name
}

// How surfaces end.
var (
	storeOutcomes = []weighted{
		{"purchase_completed", 52}, {"purchase_cancelled", 31}, {"dismissed", 11}, {"failed", 4}, {"restore_completed", 2},
	}
	linkOutcomes = []weighted{{"purchase_completed", 46}, {"purchase_cancelled", 50}, {"failed", 4}}
	hostOutcomes = []weighted{{"completed", 40}, {"back", 32}, {"dismissed", 20}, {"failed", 8}}
)

// outcomeOf draws how a surface ends.
func outcomeOf(rng *rand.Rand, surface *manifest.Surface, appVersion string) string {
	list := storeOutcomes
	switch {
	case surface.Config.Provider == manifest.Headless:
		list = hostOutcomes
	case surface.Config.Provider == manifest.Stripe:
		list = linkOutcomes
	case appVersion == oldestVersion:
		return "failed"
	}
	return pickName(rng, list)
}

// permissionOf draws what a person answers to a request of the system.
func permissionOf(rng *rand.Rand, platform string) string {
	granted := map[string]int{"ios": 58, "android": 74, "web": 30}[platform]
	return pickName(rng, []weighted{{"granted", granted}, {"denied", 94 - granted}, {"blocked", 6}})
}

// wishes are what people write into a free field; most write nothing.
var wishes = []weighted{
	{"", 46}, {"A widget for the home screen", 12}, {"Dark mode", 9}, {"More succulents", 8}, {"Share my garden", 7},
	{"Fewer notifications", 6}, {"Better advice for pests", 5}, {"A calendar of all waterings", 4},
	{"Works offline", 3},
}

var firstNames = []string{"Ada", "Ben", "Chloe", "Dario", "Emre", "Fatima", "Grete", "Hiro", "Ines", "Jonas"}

// textOf draws what a person types.
func textOf(rng *rand.Rand, input *manifest.Layer) string {
	if input.Classification == "sensitive" {
		return firstNames[rng.IntN(len(firstNames))]
	}
	return pickName(rng, wishes)
}
