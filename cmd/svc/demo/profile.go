package demo

import (
	"fmt"
	"strings"
	"time"
)

// Profile is what the app says of somebody who has an account, as it goes over the wire (wire.md §8.1).
type Profile struct {
	AppUserID        string         `json:"appUserId"`
	CustomUserID     string         `json:"customUserId"`
	Email            string         `json:"email"`
	MarketingConsent string         `json:"marketingConsent"`
	FirstName        string         `json:"firstName"`
	LastName         string         `json:"lastName"`
	Locale           string         `json:"locale"`
	Country          string         `json:"country"`
	Attributes       map[string]any `json:"attributes"`

	at time.Time
}

// People are called after plants, so that nobody takes them for real ones.
var (
	plantNames = strings.Fields(`Aster Basil Clover Dahlia Fern Hazel Heather Iris Ivy Jasmine Juniper Laurel Lily Linden
		Marigold Myrtle Olive Poppy Rose Rowan Rue Sage Violet Willow`)
	familyNames = strings.Fields(`Birch Bloom Bramble Cypress Elder Ficus Garden Greenleaf Hawthorn Meadow Monstera Moss
		Oakes Petal Pilea Reed Seedling Sprout Thistle Thorn`)
)

// profile makes up who somebody is that has an account.
func (w *World) profile(p *person, at time.Time) *Profile {
	rng := w.draw("profile of " + p.id)
	first, last := plantNames[rng.IntN(len(plantNames))], familyNames[rng.IntN(len(familyNames))]
	language, _, _ := strings.Cut(p.place.locale, "-")
	return &Profile{
		AppUserID: p.id, CustomUserID: p.customID, FirstName: first, LastName: last, Locale: p.place.locale,
		Country: p.place.country, at: at,
		// .example is nobody's (RFC 2606).
		Email:            strings.ToLower(fmt.Sprintf("%s.%s%d@tendril.example", first, last, rng.IntN(1000))),
		MarketingConsent: pickName(rng, []weighted{{"granted", 58}, {"denied", 30}, {"unknown", 12}}),
		Attributes: map[string]any{
			"plan": p.known["plan"], "balcony": p.known["balcony"], "language": language, "plants": 1 + rng.IntN(24),
			"skill": pickName(rng, []weighted{{"beginner", 52}, {"keen", 33}, {"expert", 15}}),
		},
	}
}
