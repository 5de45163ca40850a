package history

import (
	_ "embed"
	"strings"
	"sync"
)

// countries has an ISO code and an English name a line, as CLDR and exports have them; a country may have several.
//
//go:embed countries.txt
var countries string

// countryCodes leads from English names to ISO codes.
var countryCodes = sync.OnceValue(func() map[string]string {
	codes := map[string]string{}
	for line := range strings.Lines(countries) {
		code, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		codes[name] = code
	}
	return codes
})
