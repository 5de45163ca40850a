package config

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Setting is one setting as `svc config check` shows it.
type Setting struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
}

// Describe lists the settings in the order of their declaration, with secrets
// hidden.
func (s Settings) Describe() []Setting {
	var list []Setting
	value := reflect.ValueOf(s)
	for i := range value.NumField() {
		key := value.Type().Field(i).Tag.Get("koanf")
		if key == "" {
			continue
		}
		shown := value.Field(i).Interface()
		if d, ok := shown.(time.Duration); ok {
			shown = d.String()
		}
		if text, ok := shown.(string); ok && secrets[key] && text != "" {
			shown = strings.Repeat("*", 8)
		}
		list = append(list, Setting{Key: key, Value: shown})
	}
	return list
}

func keysOf(s Settings) (map[string]bool, error) {
	keys := map[string]bool{}
	t := reflect.TypeOf(s)
	for i := range t.NumField() {
		if !t.Field(i).IsExported() {
			continue
		}
		key := t.Field(i).Tag.Get("koanf")
		if key == "" || keys[key] {
			return nil, fmt.Errorf("setting %s has no key of its own", t.Field(i).Name)
		}
		keys[key] = true
	}
	return keys, nil
}
