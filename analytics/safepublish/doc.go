// Package safepublish says whether a new version of a flow does harm, from the runs of the version that its channel
// served before and its own: fewer are completed, or more have an error. It takes counts and returns figures; it knows
// no database and no clock.
//
// The test is one-sided and may be looked at as often as anybody likes: of versions that are no worse, at most 1 % are
// ever called worse, over both metrics and all looks together. It is the sequence of package experiment. The runs of
// the version before are those of the past and grow no more, so the comparison is one of before and after: what else
// changed with the switch, such as a campaign or the season, is not told apart from the version.
package safepublish
