package config

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/google/uuid"
)

// ClaimedRole is one of oidc_roles: the value of the claim gives the role in the workspace.
type ClaimedRole struct {
	Value     string
	Workspace uuid.UUID
	Role      string
}

// ClaimedRoles reads oidc_roles.
func (s Settings) ClaimedRoles() ([]ClaimedRole, error) {
	roles := make([]ClaimedRole, 0, len(s.OIDCRoles))
	for _, text := range s.OIDCRoles {
		// A value may have any character: what follows it has neither.
		value, given, ok := cutLast(text, "=")
		id, role, named := strings.Cut(given, ":")
		workspace, err := uuid.Parse(id)
		known := role == "admin" || role == "editor" || role == "viewer"
		if !ok || value == "" || !named || err != nil || !known {
			return nil, fmt.Errorf("%q must be value=workspaceId:role with admin, editor or viewer", text)
		}
		roles = append(roles, ClaimedRole{value, workspace, role})
	}
	return roles, nil
}

func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// validateProvider checks the settings of the OpenID provider.
func (s Settings) validateProvider(check func(ok bool, key, rule string)) {
	if s.OIDCIssuer == "" {
		return
	}
	address, err := url.Parse(s.OIDCIssuer)
	local := err == nil && (address.Hostname() == "localhost" || address.Hostname() == "127.0.0.1")
	check(err == nil && address.Host != "" && (address.Scheme == "https" || local && address.Scheme == "http"),
		"oidc_issuer", "must begin with https://")
	check(s.OIDCClientID != "", "oidc_client_id", "must be given together with oidc_issuer")
	check(len(s.OIDCDomains) > 0, "oidc_domains", "must name the domains whose emails the provider speaks for")
	for _, domain := range s.OIDCDomains {
		check(domain != "" && !strings.ContainsAny(domain, "@*/ "), "oidc_domains", "must be domains such as example.com")
	}
	if _, err := s.ClaimedRoles(); err != nil {
		check(false, "oidc_roles", err.Error())
	}
}
