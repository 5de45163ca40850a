// Package slack writes messages for incoming webhooks of Slack and makes single attempts to send them. Whatever a
// message quotes of customers is shown as it is: it formats nothing, links nowhere and mentions nobody. When attempts
// are made, and what messages say, is its callers' business.
//
// See https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks.
package slack
