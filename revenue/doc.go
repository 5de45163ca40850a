// Package revenue ties money to people: payments that were begun on a payment
// link, and the ids by which billing providers know a person. Dollars come only
// from the providers' webhooks; what clients say here is never one.
package revenue
