// Package people keeps the people of an app as the app identifies them: who
// they are, how to reach them, what they agreed to, and which devices they use.
// It stores; messages and automations read from it.
//
// A person is one device (an appUserId) until the app says with a custom user id
// who uses it. Devices with one custom user id are one person. An e-mail address
// never joins two people: publishable keys are public, so anyone may name any
// address.
package people
