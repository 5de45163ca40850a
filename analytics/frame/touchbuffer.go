package frame

import (
	"strings"

	"github.com/svc-dev/svc/analytics/channel"
)

// Touches stores many first touches, some at a time: the builders of sessions want the visitors' lock too.
// It belongs to one goroutine; call Flush at the end.
type Touches struct {
	data                                        *Dataset
	source, campaign, country, platform, device cached
	medium                                      cached
	channels                                    map[channel.Input]uint32

	visitors idBatch
	waiting  []waitingTouch
	ordinals []uint32
}

type waitingTouch struct {
	firstSeen int64
	touch     CodedTouch
}

// NewTouches makes a writer of first touches.
func (d *Dataset) NewTouches() *Touches {
	return &Touches{
		data: d, source: newCached(d.Sources), campaign: newCached(d.Campaigns), country: newCached(d.Countries),
		platform: newCached(d.Platforms), device: newCached(d.Devices), medium: newCached(d.Mediums),
		channels: map[channel.Input]uint32{},
	}
}

// Set stores a visitor's first touch, replacing an earlier version.
func (w *Touches) Set(f *FirstTouch) {
	t := CodedTouch{
		Source:   w.source.of(f.Source),
		Campaign: w.campaign.of(f.Campaign),
		Country:  w.country.of(f.Country),
		Platform: w.platform.of(f.Platform),
		Device:   w.device.of(f.Device),
		Medium:   w.medium.of(f.Medium),
		Channel:  w.channelOf(f),
	}
	if f.CustomUserID != "" {
		t.CustomID = w.data.customIDs.code(f.CustomUserID)
	}
	w.visitors.add(f.Visitor)
	w.waiting = append(w.waiting, waitingTouch{f.FirstSeen - EpochMillis, t})
	if w.visitors.full() {
		w.Flush()
	}
}

func (w *Touches) channelOf(f *FirstTouch) uint32 {
	in := channel.Input{
		ReferrerHost: f.ReferrerHost, Source: f.Source, Medium: f.Medium, Platform: f.Platform,
		Organic: f.Organic, OrganicUnknown: f.OrganicUnknown,
	}
	code, known := w.channels[in]
	if !known {
		code = uint32(channel.Of(in))
		// The texts may be a row buffer's.
		in.ReferrerHost, in.Source = strings.Clone(in.ReferrerHost), strings.Clone(in.Source)
		in.Medium, in.Platform = strings.Clone(in.Medium), strings.Clone(in.Platform)
		remember(w.channels, in, code)
	}
	return code
}

// Flush stores what waits.
func (w *Touches) Flush() {
	v := w.data.visitors
	w.ordinals = v.number(w.visitors.take(), w.ordinals[:0])
	v.setTouches(w.ordinals, func(i int) (int64, CodedTouch) { return w.waiting[i].firstSeen, w.waiting[i].touch })
	w.waiting = w.waiting[:0]
}
