// Package experiment computes what an experiment says: whether people were split as planned, how far a treatment is
// from the control and how sure that is, how many people it takes, and a verdict in one plain sentence. [Assemble]
// puts all of it together from the people who were exposed. It takes figures and returns figures; it knows no database
// and no clock.
//
// The rules follow flow-analytics.md §6. While an experiment runs, its interval is an always-valid confidence sequence
// at half the error rate, which may be looked at daily; at the planned end one fixed interval takes the other half. An
// experiment that was extended has spent that look and keeps the sequence.
package experiment
