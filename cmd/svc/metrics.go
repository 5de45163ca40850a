package main

import (
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/bodylimit"
)

// observePool shows how busy the database connections are: a pool whose used
// connections stay at its size makes requests wait.
func observePool(registry prometheus.Registerer, pool *pgxpool.Pool) {
	gauge := func(state string, read func(*pgxpool.Stat) int32) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "svc_database_connections", Help: "Connections of the pool by state; max is its size.",
			ConstLabels: prometheus.Labels{"state": state},
		}, func() float64 { return float64(read(pool.Stat())) })
	}
	registry.MustRegister(
		gauge("used", (*pgxpool.Stat).AcquiredConns), gauge("idle", (*pgxpool.Stat).IdleConns),
		gauge("max", (*pgxpool.Stat).MaxConns),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "svc_database_waits_total", Help: "Times that a connection was not there at once.",
		}, func() float64 { return float64(pool.Stat().EmptyAcquireCount()) }),
	)
}

// observeQueue shows how many received events are not stored yet.
func observeQueue(registry prometheus.Registerer, writer *ingest.Writer) {
	registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "svc_ingest_queued_events", Help: "Events that wait to be written.",
	}, func() float64 { return float64(writer.Queued()) }))
}

// observeAge shows how old something is that follows the database.
func observeAge(registry prometheus.Registerer, name, help string, age func() time.Duration) {
	registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
		return age().Seconds()
	}))
}

// observeBodies shows how much of their budget request bodies take.
func observeBodies(registry prometheus.Registerer, bodies *bodylimit.Budget) {
	registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "svc_body_bytes", Help: "Bytes that request bodies and queued events take of body_memory.",
	}, func() float64 { return float64(bodies.Taken()) }))
}
