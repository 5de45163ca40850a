package main

import (
	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/internal/config"
)

// openIDProvider returns the provider that people sign in by; nil where none is set. The settings are valid.
func openIDProvider(settings config.Settings) *account.Provider {
	if settings.OIDCIssuer == "" {
		return nil
	}
	p := &account.Provider{
		Issuer: settings.OIDCIssuer, ClientID: settings.OIDCClientID, ClientSecret: settings.OIDCClientSecret,
		Name: settings.OIDCName, Domains: settings.OIDCDomains, TrustEmails: settings.OIDCTrustEmails,
		RoleClaim: settings.OIDCRoleClaim,
	}
	roles, _ := settings.ClaimedRoles()
	for _, given := range roles {
		p.Roles = append(p.Roles, account.ClaimedRole{
			Value: given.Value, Workspace: given.Workspace, Role: account.Role(given.Role),
		})
	}
	return p
}
