package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/docstest"
)

// word is a word of a shell's command line: quoted, or without spaces.
var word = regexp.MustCompile(`'[^']*'|"[^"]*"|[^\s'"]+`)

// commandLine is a line of an example as the program gets it, without comment and redirection; nil for a line that is
// no call of svc.
func commandLine(line string) []string {
	line, _, _ = strings.Cut(line, "   #")
	line, _, _ = strings.Cut(line, " > ")
	words := word.FindAllString(line, -1)
	if len(words) == 0 || words[0] != "svc" {
		return nil
	}
	for i := range words {
		words[i] = strings.Trim(words[i], `'"`)
	}
	return words[1:]
}

// parse finds the command of a line and gives it its flags and arguments, as cobra does before it runs it. Flags with a
// closed set of values must have one of them.
func parse(args []string) error {
	cmd, rest, err := newRoot(terminal{}).Find(args)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if !cmd.HasSubCommands() && cmd.RunE == nil {
		return usageError("%s does nothing", cmd.CommandPath())
	}
	if cmd.HasSubCommands() && len(cmd.Flags().Args()) > 0 {
		return usageError("%s has no command %s", cmd.CommandPath(), cmd.Flags().Arg(0))
	}
	if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
		return err
	}
	if err := cmd.ValidateRequiredFlags(); err != nil {
		return err
	}
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		complete, there := cmd.GetFlagCompletionFunc(flag.Name)
		if !there || err != nil {
			return
		}
		values, directive := complete(cmd, cmd.Flags().Args(), "")
		if len(values) == 0 || directive&cobra.ShellCompDirectiveNoFileComp == 0 {
			return
		}
		for _, value := range values {
			if value, _, _ := strings.Cut(value, "\t"); value == flag.Value.String() || "["+value+"]" == flag.Value.String() {
				return
			}
		}
		err = usageError("--%s is none of %v", flag.Name, values)
	})
	return err
}

func TestCommandsOfTheDocumentationAreUnderstood(t *testing.T) {
	lines := 0
	for _, example := range docstest.Examples(t, "../..", "sh", "docs/*.md", "docs/command-line.md", "README.md") {
		for line := range strings.Lines(strings.ReplaceAll(example.Text, "\\\n", " ")) {
			if args := commandLine(line); args != nil {
				require.NoError(t, parse(args), "%s: %s", example.Page, line)
				lines++
			}
		}
	}
	require.GreaterOrEqual(t, lines, 7)
	for _, page := range docstest.Pages(t, "../..", "docs/*.md", "docs/decisions/*.md", "README.md") {
		for _, inline := range regexp.MustCompile("`(svc [^`]+)`").FindAllStringSubmatch(page.Text, -1) {
			require.NoError(t, parse(commandLine(inline[1])), "%s: %s", page.Page, inline[1])
		}
	}
	for _, wrong := range []string{
		"svc analytics product overall $APP", "svc analytics product summary $APP --dimensions source", "svc migrat",
		"svc analytics product series $APP --grain fortnight", "svc analytics product summary $APP -o xml", "svc migrate now",
	} {
		require.Error(t, parse(commandLine(wrong)), wrong)
	}
}
