package fold

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// objects are what the fold reads, by the names that Stripe gives them.
var objects = map[string]any{
	"event": stripeBody{}, "checkout.session": stripeSession{}, "invoice": stripeInvoice{},
	"invoice_payment": stripeInvoicePayment{}, "refund": stripeRefund{}, "dispute": stripeDispute{},
	"subscription": stripeSubscription{},
}

// documented reads testdata/stripe/fields.txt: the kinds of fields by path, in the interface of today and in that of
// before 2025-03-31. Of a path that one of them lacks it has no kind.
func documented(t *testing.T) (now, before map[string]string) {
	t.Helper()
	text, err := os.ReadFile("testdata/stripe/fields.txt")
	require.NoError(t, err)
	now, before = map[string]string{}, map[string]string{}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] != "#" {
			now[fields[0]], before[fields[0]] = fields[1], fields[2]
		}
	}
	require.Greater(t, len(now), 100)
	return now, before
}

// The fold reads fields that Stripe has, as what they are.
func TestFieldsOfStripeAreDocumented(t *testing.T) {
	now, before := documented(t)
	var walk func(path string, of reflect.Type)
	walk = func(path string, of reflect.Type) {
		for of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		var kinds []string
		switch {
		case of == reflect.TypeFor[json.RawMessage]():
			return
		case of == reflect.TypeFor[stripeRef]():
			kinds = []string{"reference", "string"}
		case of == reflect.TypeFor[stripeMetadata]():
			kinds, of = []string{"map"}, reflect.TypeFor[struct{}]()
		case of.Kind() == reflect.Struct:
			kinds = []string{"object", "reference"}
		case of.Kind() == reflect.Slice:
			kinds = []string{"array"}
		default:
			kinds = []string{map[reflect.Kind]string{
				reflect.String: "string", reflect.Int64: "integer", reflect.Bool: "boolean",
			}[of.Kind()]}
		}
		for _, kind := range []string{now[path], before[path]} {
			if kind != "-" {
				require.Contains(t, kinds, kind, path)
			}
		}
		require.NotEqual(t, now[path]+before[path], "--", "%s is of no version", path)
		switch of.Kind() {
		case reflect.Slice:
			walk(path+"[]", of.Elem())
		case reflect.Struct:
			for i := range of.NumField() {
				name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
				walk(path+"."+name, of.Field(i).Type)
			}
		}
	}
	for name, object := range objects {
		walk(name, reflect.TypeOf(object))
	}
}

// The corpus has fields that Stripe documents for the version that an event names, and no others.
func TestTheCorpusOfStripeIsOfItsVersions(t *testing.T) {
	now, before := documented(t)
	files, err := filepath.Glob("testdata/stripe/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var events []map[string]any
		require.NoError(t, json.Unmarshal(text, &events))
		for _, e := range events {
			kinds := now
			if e["api_version"].(string) < "2025-03-31" {
				kinds = before
			}
			object := e["data"].(map[string]any)["object"].(map[string]any)
			checkDocumented(t, kinds, object["object"].(string), object)
			delete(e, "data")
			checkDocumented(t, kinds, "event", e)
		}
	}
}

// checkDocumented holds a value at a path, and all below it, to the kinds of fields.
func checkDocumented(t *testing.T, kinds map[string]string, path string, value any) {
	t.Helper()
	kind := kinds[path]
	var fit []string
	switch value := value.(type) {
	case nil:
		require.NotContains(t, []string{"", "-"}, kind, path)
		return
	case string:
		fit = []string{"string", "reference"}
	case bool:
		fit = []string{"boolean"}
	case float64:
		fit = []string{"number"}
		if value == float64(int64(value)) {
			fit = append(fit, "integer")
		}
	case []any:
		fit = []string{"array"}
		for _, element := range value {
			checkDocumented(t, kinds, path+"[]", element)
		}
	case map[string]any:
		fit = []string{"object", "reference", "map"}
		if kind == "map" {
			break
		}
		for name, member := range value {
			if name != "object" || !slices.Contains([]string{"list"}, member.(string)) {
				checkDocumented(t, kinds, path+"."+name, member)
			}
		}
	}
	require.Contains(t, fit, kind, path)
}
