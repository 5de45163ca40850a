package manifest_test

import (
	"fmt"

	"github.com/svc-dev/svc/manifest"
)

const hello = `{
	"flowId": "a0000000-0000-4000-8000-000000000001",
	"version": 1,
	"defaultLocale": "en",
	"locales": [],
	"entryScreenId": "scr_hello",
	"screens": [{
		"id": "scr_hello",
		"name": "Hello",
		"next": {"default": null},
		"regions": {"body": {
			"id": "lyr_body", "kind": "stack", "direction": "vertical",
			"children": [{"id": "lyr_title", "kind": "text", "text": {"default": "Hello"}, "style": {"fontSize": %d}}]
		}}
	}]
}`

func Example() {
	_, problems := manifest.Parse(fmt.Appendf(nil, hello, 7))
	for _, p := range problems {
		fmt.Println(p.Severity, p.StepID, p)
	}

	m, _ := manifest.Parse(fmt.Appendf(nil, hello, 18))
	for _, p := range manifest.CheckPublish(m, manifest.PublishOptions{}) {
		fmt.Println(p.Severity, p.StepID, p)
	}
	// Output:
	// error scr_hello /screens/0/regions/body/children/0/style/fontSize: Must be at least 8.
	// error scr_hello /screens/0/regions/body/children/0/style/color: A layer of kind text needs a color.
}
