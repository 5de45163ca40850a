// Package clientaddr finds out which address a request comes from, behind the
// proxies that the operator trusts.
package clientaddr

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Of returns the address of the client behind the trusted proxies: the last
// entry of X-Forwarded-For that isn't a trusted proxy itself. Without trusted
// proxies the header is not read, because anyone can send it. The zero address
// is unknown. The second result tells whether the peer is a trusted proxy, whose
// own headers may then be believed.
func Of(r *http.Request, trusted []netip.Prefix) (netip.Addr, bool) {
	peer := parseAddress(r.RemoteAddr)
	if !IsTrusted(peer, trusted) {
		return peer, false
	}
	client := peer
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		address := parseAddress(strings.TrimSpace(hop))
		if !address.IsValid() {
			break
		}
		client = address
		if !IsTrusted(address, trusted) {
			break
		}
	}
	return client, true
}

// parseAddress reads an address with or without a port.
func parseAddress(text string) netip.Addr {
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return withPort.Addr().Unmap()
	}
	address, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return address.Unmap().WithZone("")
}

// IsTrusted tells whether an address is that of a trusted proxy.
func IsTrusted(address netip.Addr, trusted []netip.Prefix) bool {
	return slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(address) })
}

// IsLoopback tells whether a host of a URL, without its port, is this machine.
func IsLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// LimitKey returns what a rate limit counts an address by: IPv6 by its /64,
// because one client has all of it.
func LimitKey(address netip.Addr) string {
	if address.Is6() {
		if prefix, err := address.WithZone("").Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return address.String()
}
