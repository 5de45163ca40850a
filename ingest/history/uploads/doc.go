// Package uploads imports files of other tools that members upload: in parts, which the database keeps until the file
// is imported, so that any server goes on where another one was killed. What an import is, and how it is taken out
// again, is package history's.
package uploads
