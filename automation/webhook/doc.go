// Package webhook signs and sends webhooks as Standard Webhooks 1.0.0 describes
// them (https://www.standardwebhooks.com). It makes one attempt at a time and
// says what to do next; when attempts are made and where they are recorded is
// its callers' business, as is what the messages say.
package webhook
