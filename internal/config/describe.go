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

// fieldsOf returns the fields of settings by their keys.
func fieldsOf(s *Settings) (map[string]reflect.Value, error) {
	fields := map[string]reflect.Value{}
	value := reflect.ValueOf(s).Elem()
	for i := range value.NumField() {
		field := value.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		key := field.Tag.Get("koanf")
		if _, taken := fields[key]; key == "" || taken {
			return nil, fmt.Errorf("setting %s has no key of its own", field.Name)
		}
		fields[key] = value.Field(i)
	}
	return fields, nil
}
