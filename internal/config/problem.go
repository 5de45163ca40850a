package config

import (
	"fmt"
	"strings"
)

// Problem is a setting that a server can't use.
type Problem struct {
	// Key is the setting as a file names it.
	Key string
	// Source is where its value was written: a file's path, a variable, or a flag; empty where nobody wrote one.
	Source string
	// Value is what was written, empty for a secret.
	Value string
	// Rule says what is allowed.
	Rule string
}

// String names the setting, what is allowed, and what was written where.
func (p Problem) String() string {
	text := p.Key + ": " + p.Rule
	switch {
	case p.Source != "" && p.Value != "":
		return fmt.Sprintf("%s (%s is %q)", text, p.Source, p.Value)
	case p.Source != "":
		return fmt.Sprintf("%s (from %s)", text, p.Source)
	}
	return text
}

// Problems are all that is wrong with the settings of a server, one a line when read as an error.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.String()
	}
	return strings.Join(lines, "\n")
}
