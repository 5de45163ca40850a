package main

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-dev/svc/internal/httpserver"
	"github.com/svc-dev/svc/internal/role"
)

// misdirected answers on paths of a role that the server lacks.
func misdirected(r role.Role) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		httpserver.WriteError(w, request, http.StatusMisdirectedRequest, role.Misdirected, r.Refusal())
	})
}

// observeRoles shows what the server does: the sum over all servers is 0 of what nobody does.
func observeRoles(registry prometheus.Registerer, has role.Set) {
	for _, r := range role.All() {
		gauge := prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "svc_role", Help: "1 when the server has the role.", ConstLabels: prometheus.Labels{"role": string(r)},
		})
		if has.Has(r) {
			gauge.Set(1)
		}
		registry.MustRegister(gauge)
	}
}
