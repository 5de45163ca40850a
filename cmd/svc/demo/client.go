package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// The headers in which made-up visitors say where they are. `svc dev` believes
// them from this machine.
const (
	CountryHeader   = "X-Demo-Country"
	RegionHeader    = "X-Demo-Region"
	CityHeader      = "X-Demo-City"
	LatitudeHeader  = "X-Demo-Latitude"
	LongitudeHeader = "X-Demo-Longitude"
)

// SetHeaders says where a request comes from.
func (p Place) SetHeaders(header http.Header) {
	header.Set(CountryHeader, p.Country)
	header.Set(RegionHeader, p.Region)
	header.Set(CityHeader, url.PathEscape(p.City))
	header.Set(LatitudeHeader, strconv.FormatFloat(p.Latitude, 'f', 2, 64))
	header.Set(LongitudeHeader, strconv.FormatFloat(p.Longitude, 'f', 2, 64))
}

// UserAgent is what made-up visitors send.
const UserAgent = "TendrilDemo/1.0"

// Client sends visitors to the public REST interface, as apps do.
type Client struct {
	BaseURL  string
	Key      string            // publishable key
	Channels map[string]string // public ids of the channels whose flows open, by name
	// Report has providers deliver what visitors bought; nil means that it stays the word of their devices.
	Report func(context.Context, Purchase) error
	// HTTP is the client to use; nil means one with a 10 s time-out.
	HTTP *http.Client
}

// Run lets people of a world come until ctx ends, as often as in the days before at this hour, the first at once. They
// read and answer in the time that people need.
func (c *Client) Run(ctx context.Context, world *World, logger *slog.Logger) {
	pace := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	for at := time.Now(); waitUntil(ctx, at); at = nextArrival(pace, at, visitsPerDay) {
		visit := world.Visit(time.Now())
		// The world is not safe for concurrent use, so flow events are made
		// here and only the sending goes on beside.
		sends := c.script(ctx, world, visit, logger)
		go c.play(ctx, sends, logger)
	}
}

// sending is something that happens on a visit; send does it as of a time.
type sending struct {
	at   time.Time
	send func(ctx context.Context, at time.Time) error
}

// script returns what the apps of a visit send, and what providers report of it within the hour, in the order of time.
func (c *Client) script(ctx context.Context, world *World, v Visit, logger *slog.Logger) []sending {
	var sends []sending
	bought := func(purchases ...Purchase) {
		for _, p := range purchases {
			if c.Report != nil && p.At.Before(v.end().Add(time.Hour)) {
				sends = append(sends, sending{p.At, func(ctx context.Context, at time.Time) error {
					p.At = at
					return c.Report(ctx, p)
				}})
			}
		}
	}
	for _, e := range v.Events {
		sends = append(sends, sending{e.Timestamp, func(ctx context.Context, at time.Time) error {
			e.Timestamp = at
			return c.post(ctx, "/v1/sdk/analytics/events", "", v.Place, map[string]any{"events": []Event{e}}, nil)
		}})
	}
	if v.Purchase != nil {
		bought(*v.Purchase)
	}
	if v.Profile != nil {
		sends = append(sends, sending{v.Profile.at, func(ctx context.Context, _ time.Time) error {
			return c.post(ctx, "/v1/sdk/identify", "", v.Place, v.Profile, nil)
		}})
	}
	for _, opening := range v.Openings {
		channel := c.Channels[opening.Channel]
		if channel == "" || !world.Opens(v, opening) {
			continue
		}
		served, err := c.Resolve(ctx, channel, v)
		if err != nil {
			logger.Warn("demo visitor could not resolve", "channel", channel, "error", err)
			continue
		}
		run := world.Run(v, opening, served)
		for _, e := range run.Events {
			sends = append(sends, sending{e.Timestamp, func(ctx context.Context, at time.Time) error {
				e.Timestamp = at
				return c.post(ctx, "/v1/sdk/events", channel, v.Place, map[string]any{"events": []FlowEvent{e}}, nil)
			}})
		}
		bought(run.Purchases...)
	}
	slices.SortStableFunc(sends, func(a, b sending) int { return a.at.Compare(b.at) })
	return sends
}

// play lets a visit happen, each thing at its time.
func (c *Client) play(ctx context.Context, sends []sending, logger *slog.Logger) {
	for _, one := range sends {
		if !waitUntil(ctx, one.at) {
			return
		}
		if err := one.send(ctx, time.Now().UTC()); err != nil && ctx.Err() != nil {
			return
		} else if err != nil {
			logger.Warn("demo visitor could not send", "error", err)
			return
		}
	}
}

// waitUntil waits for a time and tells whether ctx is still alive.
func waitUntil(ctx context.Context, at time.Time) bool {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// Resolve asks for what a channel serves to the visitor.
func (c *Client) Resolve(ctx context.Context, channel string, v Visit) (*Served, error) {
	body := map[string]any{
		"identity": map[string]any{"appUserId": v.Events[0].Identity.AppUserID},
		"context": map[string]any{
			"platform": v.Events[0].Context.Platform, "locale": v.Events[0].Context.Locale,
			"appVersion": v.Events[0].Context.AppVersion,
		},
	}
	var answer json.RawMessage
	if err := c.post(ctx, "/v1/sdk/resolve", channel, v.Place, body, &answer); err != nil {
		return nil, err
	}
	return ParseServed(answer)
}

var defaultHTTP = &http.Client{Timeout: 10 * time.Second}

func (c *Client) post(ctx context.Context, path, channel string, place Place, body, answer any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.BaseURL+path, bytes.NewReader(encoded))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.Key)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", UserAgent)
	place.SetHeaders(request.Header)
	if channel != "" {
		request.Header.Set("X-Svc-Channel", channel)
	}
	client := c.HTTP
	if client == nil {
		client = defaultHTTP
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, 8<<20))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s: %s", path, response.Status, content)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(content, answer)
}
