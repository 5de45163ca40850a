// Package channel decides the acquisition channel of a session from its referrer, source, medium,
// platform and organic flag (analytics.md §2, "Acquisition channel"). The decision is computed
// from embedded lists and never stored in a database.
package channel

import "strings"

// Channel is an acquisition channel.
type Channel uint8

// LeftOut marks app sessions of imported history whose organic flag is unknown: they are not
// listed in Channel and Referrer tables.
const (
	LeftOut Channel = iota
	OrganicAppStore
	PaidSearch
	PaidSocial
	PaidVideo
	PaidShopping
	PaidOther
	Display
	Email
	Affiliates
	SMS
	Push
	Audio
	QR
	AIAssistants
	OrganicSearch
	OrganicSocial
	OrganicVideo
	OrganicShopping
	Referral
	PaidAppInstall
	Direct
	count
)

var names = [count]string{
	"", "Organic App Store", "Paid Search", "Paid Social", "Paid Video", "Paid Shopping", "Paid Other",
	"Display", "Email", "Affiliates", "SMS", "Push", "Audio", "QR", "AI Assistants", "Organic Search",
	"Organic Social", "Organic Video", "Organic Shopping", "Referral", "Paid App Install", "Direct",
}

// String returns the channel's name in reports, empty for LeftOut.
func (c Channel) String() string { return names[c] }

// Names returns the names by channel.
func Names() []string { return names[:] }

// Input is what the rules read of a session.
type Input struct {
	ReferrerHost   string // see Host; empty when it is the app's own
	Source, Medium string
	Platform       string // web, ios or android
	Organic        bool   // read on app platforms only
	OrganicUnknown bool
}

// Of returns the channel of a session: the first rule that holds.
func Of(in Input) Channel {
	app := in.Platform == "ios" || in.Platform == "android"
	switch {
	case app && in.OrganicUnknown:
		return LeftOut
	case app && in.Organic && in.Source == "":
		return OrganicAppStore
	}
	source, medium, referrer := fold(in.Source), fold(in.Medium), fold(in.ReferrerHost)
	bySource, byReferrer := classify(source), classify(referrer)
	is := func(k kind) bool { return bySource == k || byReferrer == k }
	switch medium {
	case "cpc", "ppc", "paid", "paidsearch", "retargeting", "cpm", "cpv", "cpa":
		switch {
		case is(search):
			return PaidSearch
		case is(social):
			return PaidSocial
		case is(video):
			return PaidVideo
		case is(shopping):
			return PaidShopping
		}
		return PaidOther
	case "display", "banner", "interstitial", "expandable":
		return Display
	}
	switch {
	case emailLike(source), emailLike(medium), is(mail):
		return Email
	case medium == "affiliate":
		return Affiliates
	case medium == "sms":
		return SMS
	case medium == "push", medium == "notification",
		strings.Contains(medium, "mobile") && strings.Contains(medium, "push"):
		return Push
	case medium == "audio":
		return Audio
	case medium == "qr":
		return QR
	case is(assistant):
		return AIAssistants
	case is(search), medium == "organic":
		return OrganicSearch
	case is(social):
		return OrganicSocial
	case is(video):
		return OrganicVideo
	case is(shopping):
		return OrganicShopping
	case referrer != "", source != "", medium == "referral", medium == "link", medium == "app":
		return Referral
	case app && !in.Organic:
		return PaidAppInstall
	}
	return Direct
}

func emailLike(value string) bool {
	switch value {
	case "email", "e-mail", "e_mail", "newsletter":
		return true
	}
	return false
}

// fold prepares a value for matching: lower case, without outer spaces.
func fold(value string) string { return strings.ToLower(strings.TrimSpace(value)) }
