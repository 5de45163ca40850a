// Package mail sends email: it builds messages, hands them to the server's SMTP server, and keeps what is to be sent
// in an outbox of the database until that has taken it.
//
// It knows neither why somebody is written to nor what: an outbox holds who and why, and asks a [Writer] for the words
// when it sends them, so that nobody is written to who must not be by then.
package mail
