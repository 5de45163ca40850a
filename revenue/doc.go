// Package revenue ties money to people: the ledger of purchases, payments that
// were begun on a payment link, and the ids by which billing providers know a
// person.
//
// What apps say here is never money. The ledger has what owners and admins record
// by hand, and what billing providers deliver, which Receive keeps as it came and
// books as package fold reads it.
package revenue
