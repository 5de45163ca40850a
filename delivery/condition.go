package delivery

// Condition is why a channel answers no document. Its value is the error code
// on the wire (wire.md §4); "" means that there is none.
type Condition string

// The conditions, in the order in which they are looked for (wire.md §11).
const (
	ChannelNotFound      Condition = "channel_not_found"
	ChannelArchived      Condition = "channel_archived"
	ChannelUnassigned    Condition = "channel_unassigned"
	VersionMissing       Condition = "version_missing"
	ExperimentNotRunning Condition = "experiment_not_running"
	VariantPinInvalid    Condition = "variant_pin_invalid"
)
