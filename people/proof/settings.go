package proof

import "time"

// MaxSecrets is how many secrets of an environment prove at once: the newest, and the one before while devices go on
// sending what was signed with it.
const MaxSecrets = 2

// SecretTable has the secrets of environments, encrypted for their ids.
const SecretTable = "identity_secret"

// DaysShown is how many UTC days of counts are shown, today included; they are kept somewhat longer.
const DaysShown = 30

// Settings are how an environment has custom user ids proved.
type Settings struct {
	Mode    Mode
	Secrets []KeptSecret // the newest first
	Days    []Day        // of the last DaysShown, oldest first, without those on which no id was counted
}

// KeptSecret is what is shown of a secret.
type KeptSecret struct{ CreatedAt time.Time }

// Day is how often ids were named on a UTC day, such as 2026-11-22.
type Day struct {
	Day string
	Counts
}
