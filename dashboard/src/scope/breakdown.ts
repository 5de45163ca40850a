import { type Fragment, graphql } from '../graphql/graphql';
import type { SessionMetric } from '../graphql/schema.gen';
import type { FigureKind } from '../ui/format';
import type { Column } from '../ui/RankedTable';

/** A row of the reports that count sessions by a value. */
export const breakdownRow = graphql<'BreakdownFigures'>(`
  fragment BreakdownFigures on BreakdownRow {
    value country region visitors sessions views events newVisitors bounceRate averageSessionSeconds viewsPerSession revenue
  }`);
export type BreakdownRow = Fragment<typeof breakdownRow>;

/** A value's points, for the chart above the table. */
export const valueSeries = graphql<'ValueLine'>(`
  fragment ValueLine on ValueSeries { value country region points { bucket value } }`);

export const sessionMetrics = [
  'VISITORS',
  'SESSIONS',
  'VIEWS',
  'EVENTS',
  'NEW_VISITORS',
  'BOUNCE_RATE',
  'AVERAGE_SESSION_SECONDS',
  'VIEWS_PER_SESSION',
  'REVENUE',
] as const satisfies readonly SessionMetric[];

export const sessionMetricNames: Record<SessionMetric, { name: string; kind: FigureKind }> = {
  VISITORS: { name: 'Visitors', kind: 'count' },
  SESSIONS: { name: 'Sessions', kind: 'count' },
  VIEWS: { name: 'Views', kind: 'count' },
  EVENTS: { name: 'Events', kind: 'count' },
  NEW_VISITORS: { name: 'New', kind: 'count' },
  BOUNCE_RATE: { name: 'Bounce rate', kind: 'share' },
  AVERAGE_SESSION_SECONDS: { name: 'Session length', kind: 'seconds' },
  VIEWS_PER_SESSION: { name: 'Views per session', kind: 'number' },
  REVENUE: { name: 'Revenue', kind: 'money' },
};

const values: Record<SessionMetric, (row: BreakdownRow) => number | null> = {
  VISITORS: (row) => row.visitors,
  SESSIONS: (row) => row.sessions,
  VIEWS: (row) => row.views,
  EVENTS: (row) => row.events,
  NEW_VISITORS: (row) => row.newVisitors,
  BOUNCE_RATE: (row) => row.bounceRate,
  AVERAGE_SESSION_SECONDS: (row) => row.averageSessionSeconds,
  VIEWS_PER_SESSION: (row) => row.viewsPerSession,
  REVENUE: (row) => row.revenue,
};

export const breakdownColumns: Column<BreakdownRow, SessionMetric>[] = sessionMetrics.map((sort) => ({
  id: sort,
  ...sessionMetricNames[sort],
  value: values[sort],
  sort,
}));

/** The figures of a row by the ids of their definitions: what a table of many rows explains. */
export const sessionFigures = {
  visitors: undefined,
  sessions: undefined,
  views: undefined,
  events: undefined,
  newVisitors: undefined,
  bounceRate: undefined,
  averageSessionSeconds: undefined,
  viewsPerSession: undefined,
  revenue: undefined,
};
