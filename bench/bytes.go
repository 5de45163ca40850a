package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"
)

const (
	// bytesScale is the most data that is built to see how much disk an event takes: it does not depend on it.
	bytesScale = 0.1
	// Limits on the bytes that one stored event takes with all that is kept of it.
	rowLimit         = 310.0
	columnstoreLimit = 45.0
)

// benchBytes measures the disk that a stored event takes on PostgreSQL alone and in TimescaleDB's columnstore.
func benchBytes(ctx context.Context) error {
	scale := min(options.scale, bytesScale)
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	defer func(stock bool) { options.stock = stock }(options.stock)
	for _, variant := range []struct {
		name    string
		measure func(context.Context, *pgx.Conn, float64) error
	}{{"stock", rowBytes}, {"timescaledb", columnstoreBytes}} {
		options.stock = variant.name == "stock"
		dir := filepath.Join(cache, "svc", fmt.Sprintf("bench-event-bytes-%s-%g", variant.name, scale))
		if err := measureBytes(ctx, dir, scale, variant.measure); err != nil {
			return fmt.Errorf("%s: %w", variant.name, err)
		}
	}
	return nil
}

func measureBytes(
	ctx context.Context, dir string, scale float64, measure func(context.Context, *pgx.Conn, float64) error,
) error {
	set, err := builtData(ctx, dir, scale)
	if err != nil {
		return err
	}
	s, _, err := startServer(ctx, dir, wholeLedger)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, s.file.DatabaseURL)
	if err != nil {
		return errors.Join(err, s.stop())
	}
	return errors.Join(measure(ctx, conn, float64(set.Events)), conn.Close(ctx), s.stop())
}

// rowBytes measures the tables that take a part of every event.
func rowBytes(ctx context.Context, conn *pgx.Conn, events float64) error {
	total := 0.0
	for _, part := range []struct{ name, sql string }{
		{"its row", `select sum(pg_table_size(relid)) from pg_partition_tree('product_event')`},
		{"its indexes", `select sum(pg_indexes_size(relid)) from pg_partition_tree('product_event')`},
		{
			"its place in the ledger",
			`select pg_total_relation_size('event_seen') + pg_total_relation_size('event_seen_packed')`,
		},
		{"its share of its session", `select pg_total_relation_size('product_session')`},
		{"its share of its visitor", `select pg_total_relation_size('product_analytics_first_touch')`},
		{
			"its share of names and details",
			`select pg_total_relation_size('event_name') + pg_total_relation_size('event_detail')`,
		},
	} {
		var size int64
		if err := conn.QueryRow(ctx, part.sql).Scan(&size); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		row("  "+part.name, float64(size)/events, "B", 0, "")
		total += float64(size) / events
	}
	row("disk of an event, PostgreSQL alone", total, "B", rowLimit, "limit")
	return nil
}

// columnstoreBytes compresses all chunks, as the policy does with those that are a week old.
func columnstoreBytes(ctx context.Context, conn *pgx.Conn, events float64) error {
	var compressed bool
	if err := conn.QueryRow(
		ctx, `select to_regclass('product_event_hourly') is not null`,
	).Scan(&compressed); err != nil || !compressed {
		return err // PostgreSQL alone, or a build without the columnstore
	}
	// The policy may have been at a chunk before all of its events were there.
	for _, sql := range []string{
		`select decompress_chunk(c, if_compressed => true) from show_chunks('product_event') c`,
		`select compress_chunk(c) from show_chunks('product_event') c`,
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("compress: %w", err)
		}
	}
	var size int64
	if err := conn.QueryRow(ctx, `select hypertable_size('product_event')`).Scan(&size); err != nil {
		return fmt.Errorf("read the size: %w", err)
	}
	row("disk of an event, columnstore", float64(size)/events, "B", columnstoreLimit, "limit")
	return nil
}
