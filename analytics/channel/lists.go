package channel

import (
	"embed"
	"strings"
)

// kind is what a source or a host is.
type kind uint8

const (
	unknown kind = iota
	search
	social
	video
	shopping
	assistant
	mail
)

// The lists under kept are those of a public project (see generate). What is in the others, which are written by hand,
// is decided by them.
//
//go:embed lists/*.txt lists/kept/*.txt
var files embed.FS

// lists holds every listed name and domain; lists.anyCountry the labels listed as "label.*".
var lists = struct {
	exact      map[string]kind
	anyCountry map[string]kind
}{map[string]kind{}, map[string]kind{}}

func init() {
	for _, list := range []struct {
		file string
		kind kind
	}{
		{"search", search},
		{"social", social},
		{"video", video},
		{"shopping", shopping},
		{"ai", assistant},
		{"mail", mail},
		{"plain", unknown},
		{"kept/ai", assistant},
		{"kept/social", social},
		{"kept/search", search},
	} {
		for _, name := range readList(list.file) {
			of := lists.exact
			label, anyCountry := strings.CutSuffix(name, ".*")
			if anyCountry {
				of = lists.anyCountry
			}
			if _, taken := of[label]; !taken {
				of[label] = list.kind
			}
		}
	}
}

// readList returns the names in a list.
func readList(file string) (names []string) {
	text, err := files.ReadFile("lists/" + file + ".txt")
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			names = append(names, line)
		}
	}
	return names
}

// classify finds the kind of a source name or a host, in lower case. The longest listed domain
// decides, so mail.google.com is mail although google.com is a search engine.
func classify(value string) kind {
	if value == "" {
		return unknown
	}
	if k, ok := lists.exact[value]; ok {
		return k
	}
	for rest := value; ; {
		label, tail, ok := strings.Cut(rest, ".")
		if !ok {
			return unknown
		}
		if k, ok := lists.exact[rest]; ok {
			return k
		}
		if k, ok := lists.anyCountry[label]; ok && isCountryTail(tail) {
			return k
		}
		rest = tail
	}
}

// isCountryTail tells whether tail looks like a public suffix such as com, de or co.uk. The rest of an app's package,
// such as mail of com.yahoo.mail, is none.
func isCountryTail(tail string) bool {
	first, second, two := strings.Cut(tail, ".")
	if !two {
		return len(first) == 2 || genericTails[first]
	}
	return len(first) <= 3 && len(second) == 2
}

// genericTails are the top-level domains of no country under which listed sites have hosts.
var genericTails = map[string]bool{
	"com": true, "net": true, "org": true, "info": true, "biz": true, "cat": true, "shop": true, "plus": true,
}
