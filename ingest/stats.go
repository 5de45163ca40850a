package ingest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// statKey is one row of ingest_stat.
type statKey struct {
	environment int64
	path        Path
	hour        time.Time
}

// statCounts are what one row is to be raised by.
type statCounts struct {
	accepted, duplicates, ignored int64
	rejected                      map[string]int64
	namesOverBudget, hitsOver     int64
	skewed                        int64 // accepted with corrected times
}

func (c *statCounts) add(o *statCounts) {
	c.accepted += o.accepted
	c.duplicates += o.duplicates
	c.ignored += o.ignored
	c.namesOverBudget += o.namesOverBudget
	c.hitsOver += o.hitsOver
	c.skewed += o.skewed
	for code, n := range o.rejected {
		c.reject(code, n)
	}
}

func (c *statCounts) reject(code string, n int64) {
	if c.rejected == nil {
		c.rejected = map[string]int64{}
	}
	c.rejected[code] += n
}

// stats counts what ingest did and adds it to the table ingest_stat about once a
// second, so that the hot path takes no shared row lock. A crash of the server
// loses at most the counts since the last write; no event depends on them.
type stats struct {
	pool *pgxpool.Pool
	now  func() time.Time

	mu      sync.Mutex
	counts  map[statKey]*statCounts
	samples rejectSamples
}

func newStats(pool *pgxpool.Pool, now func() time.Time) *stats {
	return &stats{pool: pool, now: now, counts: map[statKey]*statCounts{}, samples: rejectSamples{}}
}

func (s *stats) at(environment int64, path Path) *statCounts {
	key := statKey{environment, path, s.now().UTC().Truncate(time.Hour)}
	c := s.counts[key]
	if c == nil {
		c = &statCounts{}
		s.counts[key] = c
	}
	return c
}

// addAnswer counts one answered request.
func (s *stats) addAnswer(environment int64, path Path, a *Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.at(environment, path)
	c.accepted += int64(a.Stored)
	c.duplicates += int64(a.Duplicates)
	c.ignored += int64(a.Ignored)
	now := s.now()
	for _, r := range a.Rejected {
		c.reject(r.Code, 1)
		s.samples.add(sampleKey{environment, path, r.Code}, now, r)
	}
}

// addEnvelope counts a body that could not be read as a batch.
func (s *stats) addEnvelope(environment int64, path Path, envelope *EnvelopeError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at(environment, path).reject(envelope.Code, 1)
	s.samples.add(
		sampleKey{environment, path, envelope.Code}, s.now(), Reject{Code: envelope.Code, Message: envelope.Message},
	)
}

// addSkewed counts accepted events whose times were corrected.
func (s *stats) addSkewed(environment int64, path Path, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at(environment, path).skewed += int64(n)
}

// addOver counts hits of a path over the budget of names and over the limit of
// their session.
func (s *stats) addOver(path Path, names, hits map[int64]int64) {
	if len(names) == 0 && len(hits) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for environment, n := range names {
		s.at(environment, path).namesOverBudget += n
	}
	for environment, n := range hits {
		s.at(environment, path).hitsOver += n
	}
}

// write adds what was counted to the table. When that fails the counts are kept
// for the next time.
func (s *stats) write(ctx context.Context) error {
	s.mu.Lock()
	counts, samples := s.counts, s.samples
	s.counts, s.samples = map[statKey]*statCounts{}, rejectSamples{}
	s.mu.Unlock()
	if len(counts) == 0 {
		return nil
	}
	if err := s.add(ctx, counts); err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		for key, c := range counts {
			if now := s.counts[key]; now != nil {
				now.add(c)
			} else {
				s.counts[key] = c
			}
		}
		return fmt.Errorf("write ingest statistics: %w", err)
	}
	if len(samples) == 0 {
		return nil
	}
	if err := s.writeSamples(ctx, samples); err != nil {
		return fmt.Errorf("write samples of refused events: %w", err)
	}
	return nil
}

func (s *stats) add(ctx context.Context, counts map[statKey]*statCounts) error {
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b statKey) int {
		if a.environment != b.environment {
			return int(max(-1, min(1, a.environment-b.environment)))
		}
		if a.path != b.path {
			return int(a.path - b.path)
		}
		return a.hour.Compare(b.hour)
	})
	n := len(keys)
	environments, paths, hours := make([]int64, n), make([]int16, n), make([]time.Time, n)
	accepted, duplicates, ignored := make([]int64, n), make([]int64, n), make([]int64, n)
	names, hits, skewed := make([]int64, n), make([]int64, n), make([]int64, n)
	rejected := make([]string, n)
	for i, key := range keys {
		c := counts[key]
		environments[i], paths[i], hours[i] = key.environment, int16(key.path), key.hour
		accepted[i], duplicates[i], ignored[i] = c.accepted, c.duplicates, c.ignored
		names[i], hits[i], skewed[i] = c.namesOverBudget, c.hitsOver, c.skewed
		codes := c.rejected
		if codes == nil {
			codes = map[string]int64{}
		}
		raw, err := json.Marshal(codes)
		if err != nil {
			return err
		}
		rejected[i] = string(raw)
	}
	_, err := s.pool.Exec(ctx, `
		insert into ingest_stat as s (environment_id, path, hour, accepted, duplicates, ignored, rejected,
			names_over_budget, session_hits_over_limit, skewed)
		select e, p, h, a, d, i, r::jsonb, n, o, k
		from unnest($1::bigint[], $2::smallint[], $3::timestamptz[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[],
			$8::bigint[], $9::bigint[], $10::bigint[]) as u (e, p, h, a, d, i, r, n, o, k)
		on conflict (environment_id, path, hour) do update set
			accepted = s.accepted + excluded.accepted,
			duplicates = s.duplicates + excluded.duplicates,
			ignored = s.ignored + excluded.ignored,
			names_over_budget = s.names_over_budget + excluded.names_over_budget,
			session_hits_over_limit = s.session_hits_over_limit + excluded.session_hits_over_limit,
			skewed = s.skewed + excluded.skewed,
			rejected = (
				select coalesce(jsonb_object_agg(code, total), '{}')
				from (select code, sum(n::bigint) as total
				      from (select * from jsonb_each_text(s.rejected) union all select *
				from jsonb_each_text(excluded.rejected)) as both_sides (code, n)
				      group by code) as summed)`,
		environments, paths, hours, accepted, duplicates, ignored, rejected, names, hits, skewed)
	return err
}
