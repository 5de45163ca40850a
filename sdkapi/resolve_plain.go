package sdkapi

// Nearly every resolve body is an object of plain strings, with identity and
// context as such objects in it. decodePlain reads exactly those, in one pass
// and without reflection: encoding/json takes longer over such a body than the
// rest of the request together. Whatever is not plain, or not right, is left to
// decodeResolve, which knows every form and names every error. A fuzz test
// holds the two to the same answers.

// plainFields are the members that a plain body may have, by path.
var plainFields = map[string]plainField{
	"identity.appUserId":         {limit: maxUserID},
	"identity.customUserId":      {limit: maxUserID},
	"identity.customUserIdProof": {},
	"identity.sessionId":         {limit: maxUserID},
	"context.platform":           {platform: true},
	"context.appVersion":         {},
	"context.locale":             {},
	"context.browser":            {limit: maxBrowser},
	"context.os":                 {limit: maxBrowser},
	"context.device":             {limit: maxBrowser},
	"appUserId":                  {limit: maxUserID},
	"userId":                     {limit: maxUserID},
	"customUserId":               {limit: maxUserID},
	"customUserIdProof":          {},
	"sessionId":                  {limit: maxUserID},
	"locale":                     {},
	"platform":                   {platform: true},
	"appVersion":                 {},
	"variantId":                  {},
}

type plainField struct {
	limit    int // in ASCII characters; 0 means none
	platform bool
}

func (f plainField) allows(value []byte) bool {
	if f.platform {
		return string(value) == "web" || string(value) == "ios" || string(value) == "android"
	}
	return f.limit == 0 || len(value) <= f.limit
}

// plainBody collects what resolve needs from a plain body. The slices point
// into it.
type plainBody struct {
	identity, flat, user, variant []byte
	custom, flatCustom            []byte
	proof, flatProof              []byte
}

// decodePlain reports false for a body that is not plain.
func decodePlain(data []byte) (resolveRequest, bool) {
	p := plainScanner{data: data}
	var body plainBody
	if !p.object("", &body) || !p.end() {
		return resolveRequest{}, false
	}
	id := firstBytes(body.identity, body.flat, body.user)
	return resolveRequest{
		AppUserID: string(id), Variant: string(body.variant),
		CustomUserID: string(firstBytes(body.custom, body.flatCustom)),
		Proof:        string(firstBytes(body.proof, body.flatProof)),
	}, id != nil
}

// firstBytes returns the first value that was sent.
func firstBytes(values ...[]byte) []byte {
	for _, value := range values {
		if value != nil {
			return value
		}
	}
	return nil
}

// plainScanner walks JSON text and gives up at the first thing that it was not
// made for.
type plainScanner struct {
	data []byte
	at   int
}

func (p *plainScanner) space() {
	for ; p.at < len(p.data); p.at++ {
		switch p.data[p.at] {
		case ' ', '\n', '\t', '\r':
		default:
			return
		}
	}
}

// take consumes one character, with the white space before it.
func (p *plainScanner) take(c byte) bool {
	p.space()
	if p.at >= len(p.data) || p.data[p.at] != c {
		return false
	}
	p.at++
	return true
}

func (p *plainScanner) end() bool {
	p.space()
	return p.at == len(p.data)
}

// text consumes a string of printable ASCII without escapes that isn't empty.
func (p *plainScanner) text() ([]byte, bool) {
	if !p.take('"') {
		return nil, false
	}
	start := p.at
	for ; p.at < len(p.data); p.at++ {
		switch c := p.data[p.at]; {
		case c == '"':
			p.at++
			return p.data[start : p.at-1], p.at-1 > start
		case c < ' ' || c > '~' || c == '\\':
			return nil, false
		}
	}
	return nil, false
}

// object consumes an object that isn't empty and whose members are all in
// plainFields, or are one of the two inner objects.
func (p *plainScanner) object(prefix string, body *plainBody) bool {
	if !p.take('{') {
		return false
	}
	for first := true; ; first = false {
		if !first && !p.take(',') {
			return p.take('}')
		}
		key, ok := p.text()
		if !ok || !p.take(':') || !p.member(prefix, key, body) {
			return false
		}
	}
}

func (p *plainScanner) member(prefix string, key []byte, body *plainBody) bool {
	if prefix == "" && string(key) == "identity" {
		return p.object("identity.", body)
	}
	if prefix == "" && string(key) == "context" {
		return p.object("context.", body)
	}
	var joined [32]byte
	path := append(append(joined[:0], prefix...), key...)
	field, known := plainFields[string(path)]
	value, ok := p.text()
	if !known || !ok || !field.allows(value) {
		return false
	}
	switch string(path) {
	case "identity.appUserId":
		return setOnce(&body.identity, value)
	case "appUserId":
		return setOnce(&body.flat, value)
	case "userId":
		return setOnce(&body.user, value)
	case "variantId":
		return setOnce(&body.variant, value)
	case "identity.customUserId":
		return setOnce(&body.custom, value)
	case "customUserId":
		return setOnce(&body.flatCustom, value)
	case "identity.customUserIdProof":
		return setOnce(&body.proof, value)
	case "customUserIdProof":
		return setOnce(&body.flatProof, value)
	}
	return true
}

// setOnce refuses a second value: which of two same-named members counts is
// decided in one place.
func setOnce(field *[]byte, value []byte) bool {
	if *field != nil {
		return false
	}
	*field = value
	return true
}
