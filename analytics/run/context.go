package run

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"

	"github.com/svc-dev/svc/analytics/session"
)

// Release is what was served: the group of channel, version, assignment version, experiment and variant.
type Release struct {
	Channel           int64
	Version           session.Key
	AssignmentVersion int64       // -1 when absent
	Experiment        session.Key // zero when absent
	Variant           string
}

// Client is the group of platform, locale and app version.
type Client struct{ Platform, Locale, AppVersion string }

// Place is the group of country, region and city.
type Place struct{ Country, Region, City string }

// Device is the group of device, browser and operating system.
type Device struct{ Device, Browser, OS string }

// Context is what a hit says of its run, in groups: a run takes each group whole from its first hit that has
// any of it.
type Context struct {
	Release          Release
	Client           Client
	Place            Place
	Device           Device
	CustomProperties string // a JSON object; empty when absent
}

// ErrCorrupt says that stored bytes are not what this package writes.
var ErrCorrupt = errors.New("run: the stored bytes are corrupt")

// A packed context is the first 8 bytes of the SHA-256 of its values, by which hits name it, the length of
// the values in 4 bytes, and the values: channel, version, assignment version and experiment in fixed width,
// the texts each after their length.
const (
	contextHead  = 8 + 4
	contextFixed = 8 + 16 + 4 + 16
)

func (c *Context) texts() [11]*string {
	return [...]*string{
		&c.Release.Variant, &c.Client.Platform, &c.Client.Locale, &c.Client.AppVersion,
		&c.Place.Country, &c.Place.Region, &c.Place.City, &c.Device.Device, &c.Device.Browser, &c.Device.OS,
		&c.CustomProperties,
	}
}

// pack returns the packed context.
func (c Context) pack() []byte {
	texts := c.texts()
	size := contextHead + contextFixed + binary.MaxVarintLen32*len(texts)
	for _, text := range texts {
		size += len(*text)
	}
	b := make([]byte, contextHead, size)
	b = binary.LittleEndian.AppendUint64(b, uint64(c.Release.Channel))
	b = append(b, c.Release.Version[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(int32(c.Release.AssignmentVersion)))
	b = append(b, c.Release.Experiment[:]...)
	for _, text := range texts {
		b = binary.AppendUvarint(b, uint64(len(*text)))
		b = append(b, *text...)
	}
	sum := sha256.Sum256(b[contextHead:])
	copy(b, sum[:8])
	binary.LittleEndian.PutUint32(b[8:], uint32(len(b)-contextHead))
	return b
}

// contextID is how hits name a packed context.
func contextID(packed []byte) uint64 { return binary.LittleEndian.Uint64(packed) }

// nextContext splits the first packed context off.
func nextContext(packed []byte) (first, rest []byte, err error) {
	if len(packed) < contextHead {
		return nil, nil, ErrCorrupt
	}
	size := contextHead + int64(binary.LittleEndian.Uint32(packed[8:]))
	if size > int64(len(packed)) {
		return nil, nil, ErrCorrupt
	}
	return packed[:size], packed[size:], nil
}

func unpackContext(packed []byte) (c Context, err error) {
	b := packed[contextHead:]
	if len(b) < contextFixed {
		return c, ErrCorrupt
	}
	c.Release.Channel = int64(binary.LittleEndian.Uint64(b))
	copy(c.Release.Version[:], b[8:])
	c.Release.AssignmentVersion = int64(int32(binary.LittleEndian.Uint32(b[24:])))
	copy(c.Release.Experiment[:], b[28:])
	b = b[contextFixed:]
	for _, text := range c.texts() {
		length, n := binary.Uvarint(b)
		if n <= 0 || length > uint64(len(b)-n) {
			return c, ErrCorrupt
		}
		*text = string(b[n : n+int(length)])
		b = b[n+int(length):]
	}
	return c, nil
}

// contexts are those of a row, by the ids that hits name them by.
type contexts struct {
	list []namedContext
	at   map[uint64]int // places in the list; nil while it is short, as those of most rows are
}

type namedContext struct {
	id uint64
	of *Context
}

// shortList is how many contexts are looked through one by one.
const shortList = 8

// find returns the place of a context, -1 when there is none. Near is a place that may be it.
func (c *contexts) find(id uint64, near int) int {
	if near >= 0 && near < len(c.list) && c.list[near].id == id {
		return near
	}
	if c.at != nil {
		if at, known := c.at[id]; known {
			return at
		}
		return -1
	}
	for i := range c.list {
		if c.list[i].id == id {
			return i
		}
	}
	return -1
}

// unpack reads packed contexts, each once, into the memory of those before.
func (c *contexts) unpack(packed []byte) error {
	c.list, c.at = c.list[:0], nil
	for len(packed) > 0 {
		first, rest, err := nextContext(packed)
		if err != nil {
			return err
		}
		if id := contextID(first); c.find(id, -1) < 0 {
			of, err := unpackContext(first)
			if err != nil {
				return err
			}
			c.add(id, &of)
		}
		packed = rest
	}
	return nil
}

func (c *contexts) add(id uint64, of *Context) {
	c.list = append(c.list, namedContext{id, of})
	switch {
	case c.at != nil:
		c.at[id] = len(c.list) - 1
	case len(c.list) > shortList:
		c.at = make(map[uint64]int, 2*shortList)
		for i := range c.list {
			c.at[c.list[i].id] = i
		}
	}
}

// joinContexts appends those of b that a does not have.
func joinContexts(a, b []byte) []byte {
	for len(b) > 0 {
		first, rest, err := nextContext(b)
		if err != nil {
			return append(a, b...) // a reader says so
		}
		if !hasContext(a, contextID(first)) {
			a = append(a, first...)
		}
		b = rest
	}
	return a
}

func hasContext(packed []byte, id uint64) bool {
	for len(packed) > 0 {
		first, rest, err := nextContext(packed)
		if err != nil {
			return false
		}
		if contextID(first) == id {
			return true
		}
		packed = rest
	}
	return false
}
