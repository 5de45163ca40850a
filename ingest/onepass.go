package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// onePass reads a body as SDKs send it, in one pass. Whatever is unusual, such as
// a field of another type, twice, or in other letters, ends it, and so does what
// is not JSON: then encoding/json reads the body, and says what is wrong.
// So onePass has no errors, and never reads anything otherwise than encoding/json.
type onePass struct {
	tokens onePassTokens
	inner  onePassTokens // of a context that differs from the one before
	// The context that was read last, and its bytes: most events repeat it.
	context      wireContext
	contextBytes []byte
}

var onePasses = sync.Pool{New: func() any { return &onePass{} }}

// wireObject is an object that a client sends. Its member reads the value that comes next, which has the name; false
// means that encoding/json has to read the body.
type wireObject interface {
	member(p *onePass, name []byte) bool
}

// readOnce reads a body into the zero value, or says that encoding/json has to.
func readOnce(body []byte, into wireObject) bool {
	p := onePasses.Get().(*onePass)
	defer p.release()
	p.tokens.begin(body)
	return p.object(into) && p.tokens.ended()
}

// release forgets what was read.
func (p *onePass) release() {
	p.tokens.begin(nil)
	p.inner.begin(nil)
	p.context, p.contextBytes = wireContext{}, nil
	onePasses.Put(p)
}

func (p *onePass) object(into wireObject) bool {
	if !p.tokens.open('{') {
		return false
	}
	for p.tokens.more('}') {
		name, ok := p.tokens.name()
		if !ok || !into.member(p, name) {
			return false
		}
	}
	return p.tokens.closed()
}

// wireEvents reads a list that is not empty, and not longer than a batch may be.
func wireEvents[W any, P interface {
	*W
	wireObject
}](p *onePass, into *[]W) bool {
	if len(*into) > 0 || !p.tokens.open('[') {
		return false
	}
	for p.tokens.more(']') {
		if len(*into) == maxEventsPerBatch {
			return false
		}
		var event W
		*into = append(*into, event)
		if !p.object(P(&(*into)[len(*into)-1])) {
			return false
		}
	}
	return len(*into) > 0 && p.tokens.closed()
}

// countEvents counts the events of a body, of which encoding/json would make a value each before it could tell that
// they are too many: of three bytes a kilobyte. It is 0 of what is not JSON.
func countEvents(body []byte) (most int) {
	var t onePassTokens
	t.begin(body)
	if !t.open('{') {
		return 0
	}
	for t.more('}') {
		name, err := t.ReadToken()
		if err != nil {
			return 0
		}
		isList := strings.EqualFold(name.String(), "events") && t.PeekKind() == '['
		if !isList {
			if t.SkipValue() != nil {
				return 0
			}
			continue
		}
		n := 0
		for t.open('['); t.more(']'); n++ {
			if t.SkipValue() != nil {
				return 0
			}
		}
		most = max(most, n)
		if !t.closed() {
			return 0
		}
	}
	return most
}

// text reads a text, or null, which says nothing.
func (p *onePass) text(into *string) bool {
	raw, ok := p.tokens.value()
	if !ok || *into != "" {
		return false
	}
	if raw[0] == '"' {
		*into = jsonText(raw)
	}
	return raw[0] == '"' || raw[0] == 'n'
}

// raw reads any value as a part of the body.
func (p *onePass) raw(into *json.RawMessage) bool {
	raw, ok := p.tokens.value()
	if !ok || *into != nil {
		return false
	}
	*into = raw
	return true
}

// number reads a whole number, or null, which says nothing.
func (p *onePass) number(into **int64) bool {
	raw, ok := p.tokens.value()
	if !ok || *into != nil {
		return false
	}
	if raw[0] == 'n' {
		return true
	}
	number, err := strconv.ParseInt(string(raw), 10, 64)
	*into = &number
	return err == nil
}

// sentText reads a text or null, which are not the same here.
func (p *onePass) sentText(into *sentText) bool {
	raw, ok := p.tokens.value()
	return ok && into.text == nil && into.UnmarshalJSON(raw) == nil
}

// attribution reads a map, or null, which says nothing.
func (p *onePass) attribution(into **wireAttribution) bool {
	raw, ok := p.tokens.value()
	if !ok || *into != nil {
		return false
	}
	if raw[0] == 'n' {
		return true
	}
	*into = new(wireAttribution)
	return (*into).UnmarshalJSON(raw) == nil
}

// identity reads an identity, or null.
func (p *onePass) identity(into *wireIdentity) bool {
	if into.sent {
		return false
	}
	into.sent = true
	if p.tokens.PeekKind() == 'n' {
		return p.tokens.closed()
	}
	return p.object(into)
}

// sharedContext reads a context, unless it is the same as the one before, or null.
func (p *onePass) sharedContext(into *wireContext) bool {
	raw, ok := p.tokens.value()
	if !ok || into.sent {
		return false
	}
	if raw[0] == 'n' {
		into.sent = true
		return true
	}
	if !bytes.Equal(raw, p.contextBytes) {
		p.context, p.contextBytes = wireContext{sent: true}, nil
		p.tokens, p.inner = p.inner, p.tokens
		p.tokens.begin(raw)
		ok = p.object(&p.context)
		p.tokens, p.inner = p.inner, p.tokens
		if !ok {
			return false
		}
		p.contextBytes = raw
	}
	*into = p.context
	return true
}

// unknown skips a member that is none of an event's, unless encoding/json takes
// its name for one: it does not mind the case.
func (p *onePass) unknown(name []byte) bool {
	for _, c := range name {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	if wireNames[string(bytes.ToLower(name))] {
		return false
	}
	_, ok := p.tokens.value()
	return ok
}

// onePassTokens are what a body consists of.
type onePassTokens struct {
	body []byte
	*jsontext.Decoder
}

func (t *onePassTokens) begin(body []byte) {
	if t.Decoder == nil {
		t.Decoder = new(jsontext.Decoder)
	}
	t.body = body
	t.Reset(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

func (t *onePassTokens) open(kind jsontext.Kind) bool {
	token, err := t.ReadToken()
	return err == nil && token.Kind() == kind
}

func (t *onePassTokens) more(end jsontext.Kind) bool { return t.PeekKind() != end }

func (t *onePassTokens) closed() bool {
	_, err := t.ReadToken()
	return err == nil
}

func (t *onePassTokens) ended() bool {
	_, err := t.ReadToken()
	return errors.Is(err, io.EOF)
}

// value returns the next value as a part of the body.
func (t *onePassTokens) value() ([]byte, bool) {
	raw, err := t.ReadValue()
	if err != nil || len(raw) == 0 {
		return nil, false
	}
	end := int(t.InputOffset())
	return t.body[end-len(raw) : end : end], true
}

// name returns the name of the next member when it needs no decoding.
func (t *onePassTokens) name() ([]byte, bool) {
	raw, ok := t.value()
	if !ok || len(raw) < 2 {
		return nil, false
	}
	inside := raw[1 : len(raw)-1]
	return inside, bytes.IndexByte(inside, '\\') < 0
}

// wireNames are the members of bodies, events, identities and contexts, in lower case.
var wireNames = func() map[string]bool {
	names := map[string]bool{}
	for _, object := range []any{wireProductBody{}, wireProduct{}, wireFlow{}, wireIdentity{}, wireContext{}} {
		kind := reflect.TypeOf(object)
		for i := range kind.NumField() {
			names[strings.ToLower(kind.Field(i).Tag.Get("json"))] = true
		}
	}
	return names
}()
