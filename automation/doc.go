// Package automation does what an app wants done when something happened to a
// person: an event that the app tracked, the end of a flow or a purchase enrols
// the person in an automation, which waits, chooses and sends webhooks.
//
// A definition is a value that is read and checked once, and advanced by pure
// functions of it, of the enrolment, of the person and of the time. What
// happened is matched in the transaction that stores it; enrolments, steps and
// deliveries are rows, and jobs of River say which rows to look at.
package automation
