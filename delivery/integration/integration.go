// Package integration describes which billing and attribution providers an app
// uses: the form that the studio stores and that delivery sends to SDKs.
package integration

import "encoding/json"

// Settings are the provider switches of an app, always complete
// (wire.md §3.4).
type Settings struct {
	RevenueCat RevenueCat `json:"revenuecat"`
	Superwall  Superwall  `json:"superwall"`
	AppsFlyer  Toggle     `json:"appsflyer"`
	Stripe     Toggle     `json:"stripe"`
}

// RevenueCat is the switch and the defaults of the revenuecat provider.
type RevenueCat struct {
	Enabled            bool   `json:"enabled"`
	DefaultOfferingID  string `json:"defaultOfferingId" validate:"utf16max=128"` // manifest.md §9.2
	DefaultPlacementID string `json:"defaultPlacementId" validate:"utf16max=128"`
}

// Superwall is the switch and the default placement of the superwall provider.
type Superwall struct {
	Enabled            bool   `json:"enabled"`
	DefaultPlacementID string `json:"defaultPlacementId" validate:"utf16max=128"`
}

// Toggle is a provider that has nothing but its switch.
type Toggle struct {
	Enabled bool `json:"enabled"`
}

// Parse reads the stored form, which is partial and may have
// unknown keys. A value that can't be read gives all defaults, never an error:
// a broken setting must not stop a channel (wire.md §3.4).
func Parse(stored []byte) Settings {
	var parsed Settings
	if json.Unmarshal(stored, &parsed) != nil {
		return Settings{}
	}
	return parsed
}
