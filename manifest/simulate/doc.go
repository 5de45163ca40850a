// Package simulate replays recorded runs through a flow that they were not made in: a draft. It says how many users
// come to each step and take each way, before the draft is published.
//
// A run brings what it recorded: the answers of each visit, where each visit led, the outcomes of surfaces and the
// cases of decisions. The rules, which docs/flow-analytics.md explains to users:
//
//   - At its nth visit of a step a run does what it did at its nth recorded visit: it answers, continues, skips, jumps
//     by the same button, or leaves. Which button it was is read from the version that the run was made in.
//   - A question takes the answer of that visit, else the run's last answer to the same field. Conditions are evaluated
//     as the SDKs do (runtime.md §3), but for a third result: not known. Attributes of the host are never recorded, so
//     a condition on them holds as the run's own decisions say that it held, where they had the same condition.
//   - Where the way out of a step is not known, the run goes on if all ways lead to the same step. Otherwise it stops
//     there and counts as unknown. A run that left passes steps that it never saw only on the way to one that it saw.
//
// The package is pure.
package simulate
