package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
)

// written is a value as somebody wrote it, and where.
type written struct {
	value  any
	source string
}

// Load reads the settings: defaults, then the YAML file when path is not empty, then SVC_… variables of environ, then
// flags (keys as in the file). What can't be used is returned as Problems, all at once: unknown keys, values of another
// type, and values that are not allowed, each with where it was written.
func Load(defaults Settings, path string, environ []string, flags map[string]any) (Settings, error) {
	fields, err := fieldsOf(&defaults)
	if err != nil {
		return Settings{}, err
	}
	given := map[string]written{}
	var problems Problems
	if path != "" {
		k := koanf.New(".")
		if err := k.Load(file.Provider(path), yaml.Parser()); err != nil {
			return Settings{}, fmt.Errorf("read configuration file %s: %w", path, err)
		}
		for key, value := range k.All() {
			given[key] = written{value, path}
			if _, known := fields[key]; !known {
				delete(given, key)
				problems = append(problems, Problem{Key: key, Source: path, Rule: "unknown setting"})
			}
		}
	}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		key, ok := keyOf(name)
		if !ok {
			continue
		}
		if base, isFile := strings.CutSuffix(key, "_file"); isFile && secrets[base] {
			content, err := os.ReadFile(value)
			if err != nil {
				problems = append(problems, Problem{Key: base, Source: name, Value: value, Rule: unreadable(err)})
				continue
			}
			key, value = base, strings.TrimRight(string(content), "\r\n")
		}
		if _, known := fields[key]; !known {
			problems = append(problems, Problem{Key: name, Rule: "unknown setting"})
			continue
		}
		given[key] = written{value, name}
	}
	for key, value := range flags {
		given[key] = written{value, "--" + strings.ReplaceAll(key, "_", "-")}
	}

	settings := defaults
	fields, err = fieldsOf(&settings)
	if err != nil {
		return Settings{}, err
	}
	unread := map[string]bool{}
	for key, w := range given {
		if rule := set(fields[key], w.value); rule != "" {
			unread[key] = true
			problems = append(problems, Problem{Key: key, Rule: rule})
		}
	}
	settings.BaseURL = strings.TrimRight(settings.BaseURL, "/")
	settings.MediaBaseURL = strings.TrimRight(settings.MediaBaseURL, "/")
	settings.derive()
	for _, problem := range settings.validate() {
		if !unread[problem.Key] {
			problems = append(problems, problem)
		}
	}
	if len(problems) == 0 {
		return settings, nil
	}
	for i := range problems {
		if w, ok := given[problems[i].Key]; ok && problems[i].Source == "" {
			problems[i].Source = w.source
			if !secrets[problems[i].Key] {
				problems[i].Value = fmt.Sprint(w.value)
			}
		}
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return strings.Compare(a.Key, b.Key) })
	return settings, problems
}

// unreadable says why a file can't be read, without the path, which is named beside it.
func unreadable(err error) string {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		err = failed.Err
	}
	return "the file can't be read: " + err.Error()
}

// clientVariables belong to the command line's client side, not to the server.
var clientVariables = map[string]bool{
	"SVC_API_KEY": true, "SVC_API_URL": true, "SVC_PROFILE": true,
	"SVC_CONFIG": true, "SVC_CONFIG_PATH": true,
}

// foreign begins variables that are not the server's: those of developing it, and those that Kubernetes gives to every
// container of a namespace with a Service named svc.
var foreign = []string{"SVC_TEST_", "SVC_SETUP_", "SVC_SERVICE_", "SVC_PORT"}

// keyOf returns the key that a variable sets; false for one that is not the server's.
func keyOf(variable string) (string, bool) {
	key, ours := strings.CutPrefix(variable, EnvPrefix)
	if !ours || clientVariables[variable] {
		return "", false
	}
	for _, prefix := range foreign {
		if strings.HasPrefix(variable, prefix) {
			return "", false
		}
	}
	return strings.ToLower(key), true
}
