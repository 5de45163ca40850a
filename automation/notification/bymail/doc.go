// Package bymail tells members of a workspace by email what the inbox has for them: the kinds that each chose, at an
// address that they have confirmed, and only while they are members who may see it.
package bymail
