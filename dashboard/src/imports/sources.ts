import type { HistorySource } from '../graphql/schema.gen';

/** Where history comes from: what the tool calls its export, and whether its times may name no zone. */
export const sources: Record<HistorySource, { name: string; file: string; hasZone: boolean }> = {
  POSTHOG: { name: 'PostHog', file: 'The events model as JSON lines (.jsonl, .jsonl.gz)', hasZone: false },
  UMAMI: { name: 'Umami', file: 'The table website_event as CSV (.csv, .csv.gz)', hasZone: false },
  MATOMO: { name: 'Matomo', file: 'Visits of Live.getLastVisitsDetails as JSON (.json, .json.gz)', hasZone: true },
  GA4: { name: 'Google Analytics 4', file: 'The export to BigQuery as JSON lines (.json, .json.gz)', hasZone: true },
  PLAUSIBLE: { name: 'Plausible', file: 'The export, or a table of it: totals per day (.zip, .csv)', hasZone: true },
  CSV: {
    name: 'CSV',
    file: 'Columns event_id, name, occurred_at and app_user_id, and others (.csv, .csv.gz)',
    hasZone: false,
  },
  PARQUET: { name: 'Parquet', file: '', hasZone: false },
};

/** Those whose files are uploaded: a server that others share can't bound what Parquet unpacks to. */
export const uploaded = Object.entries(sources)
  .filter(([source]) => source !== 'PARQUET')
  .map(([value, { name }]) => ({ value, label: name }));
