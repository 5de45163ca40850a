package webhook

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
)

// MaxURL bounds the bytes of an endpoint's URL.
const MaxURL = 2048

// CheckURL reports what makes a text unusable as an endpoint's URL. Whether its
// host may be reached is known only when it is dialled.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case len(text) > MaxURL:
		return fmt.Errorf("a URL has at most %d bytes", MaxURL)
	case err != nil:
		return errors.New("is not a URL")
	case u.Scheme != "https" && u.Scheme != "http":
		return errors.New("must start with https:// (or http://, for addresses that the operator allows)")
	case u.Hostname() == "":
		return errors.New("names no host")
	case u.User != nil:
		return errors.New("must not hold a user name or password: receivers check the signature")
	case u.Fragment != "":
		return errors.New("must not have a fragment")
	}
	return nil
}

// ErrForbiddenAddress says that an endpoint's host is, or resolves to, an
// address inside a private or special network that the operator does not allow.
var ErrForbiddenAddress = errors.New("the address is not a public one")

// special are the networks that are no one's public servers: IANA's
// special-purpose registries, and the addresses of clouds' metadata services
// outside of them. IPv6 beyond 2000::/3 is refused as a whole.
var special = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
	"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/4", "240.0.0.0/4",
	"168.63.129.16/32", // Azure's host agent
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
)

var globalUnicast6 = netip.MustParsePrefix("2000::/3")

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}

// isPublic tells whether an address can be that of a public server.
func isPublic(address netip.Addr) bool {
	if address.Is6() && !globalUnicast6.Contains(address) {
		return false
	}
	return !contains(special, address)
}

func contains(networks []netip.Prefix, address netip.Addr) bool {
	for _, network := range networks {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// guard refuses connections by the address that is really dialled, after names
// are resolved: a name that resolves differently a second time gains nothing.
type guard struct {
	allowed []netip.Prefix
	// onlyAllowed refuses public addresses as well.
	onlyAllowed bool
}

// forbidden is an ErrForbiddenAddress with its address, for the operator, and a reason for
// whoever keeps the endpoint.
type forbidden struct{ reason, address string }

func (f *forbidden) Error() string { return f.reason + ": " + f.address }

// Is tells that the error is ErrForbiddenAddress.
func (f *forbidden) Is(target error) bool { return target == ErrForbiddenAddress }

// control is a net.Dialer's Control.
func (g guard) control(network, address string, _ syscall.RawConn) error {
	refused := &forbidden{ErrForbiddenAddress.Error(), address}
	dialled, err := netip.ParseAddrPort(address)
	if err != nil || !strings.HasPrefix(network, "tcp") {
		return refused
	}
	host := dialled.Addr().Unmap().WithZone("")
	if contains(g.allowed, host) || (!g.onlyAllowed && isPublic(host)) {
		return nil
	}
	if g.onlyAllowed && isPublic(host) {
		refused.reason = "http:// is for addresses that the operator allows; use https://"
	}
	return refused
}
