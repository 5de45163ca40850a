// Package revenue ties money to people: the ledger of purchases, payments that
// were begun on a payment link, and the ids by which billing providers know a
// person.
//
// What apps say here is never money. The ledger has what owners and admins record
// by hand, or what a back end records for them with the mutation recordPurchase:
// the server takes no webhooks of providers.
package revenue
