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

//go:embed lists/*.txt
var files embed.FS

// lists holds every listed name and domain; lists.anyCountry the labels listed as "label.*".
var lists = struct {
	exact      map[string]kind
	anyCountry map[string]kind
}{map[string]kind{}, map[string]kind{}}

func init() {
	for name, k := range map[string]kind{
		"search": search, "social": social, "video": video, "shopping": shopping,
		"ai": assistant, "mail": mail, "plain": unknown,
	} {
		text, err := files.ReadFile("lists/" + name + ".txt")
		if err != nil {
			panic(err)
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '#' {
				continue
			}
			if label, ok := strings.CutSuffix(line, ".*"); ok {
				lists.anyCountry[label] = k
			} else {
				lists.exact[line] = k
			}
		}
	}
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

// isCountryTail tells whether tail looks like a public suffix such as com, de or co.uk.
func isCountryTail(tail string) bool {
	first, second, two := strings.Cut(tail, ".")
	if !two {
		return len(first) >= 2 && len(first) <= 6
	}
	return len(first) <= 3 && len(second) == 2
}
