import type { ExactFilter, FlowAnalyticsScope, FlowFilters } from '../graphql/schema.gen';
import { type Dimension, dimensions, type Filter } from './filters';
import { comparedRange, filtersOf, type Place, type Range, type ScopeSearch, toScope } from './scope';

/** The filters that runs of flows know, by dimension. */
const known: Partial<Record<Dimension, keyof FlowFilters>> = {
  channel: 'acquisitionChannel',
  source: 'source',
  medium: 'medium',
  campaign: 'campaign',
  country: 'country',
  region: 'region',
  browser: 'browser',
  os: 'os',
  device: 'device',
};

const applies = ({ dimension, operator }: Filter) =>
  known[dimension] !== undefined && (operator === 'is' || operator === 'is_not');

/** The input of the reports of a flow: the scope, with the filters that runs know. */
export function toFlowScope(
  place: Place,
  search: ScopeSearch,
  flow: string,
  now: Date,
  range?: Range,
): FlowAnalyticsScope {
  const {
    environment,
    timeZone,
    platform,
    segmentId,
    range: bounds,
  } = toScope(place, { ...search, f: undefined }, now, range);
  const filters: Record<string, ExactFilter> = {};
  for (const filter of filtersOf(search)) {
    if (!applies(filter)) continue;
    filters[known[filter.dimension]!] = { op: filter.operator === 'is' ? 'IS' : 'IS_NOT', values: filter.values };
  }
  return { flowId: flow, environment, timeZone, platform, segmentId, range: bounds, filters };
}

/** The input of what a flow is compared with; undefined for nothing. */
export function toComparedFlowScope(
  place: Place,
  search: ScopeSearch,
  flow: string,
  now: Date,
): FlowAnalyticsScope | undefined {
  const range = comparedRange(search, now);
  if (!range) return undefined;
  const { compare, against = '' } = search;
  const scope = toFlowScope(place, search, flow, now, range);
  if (compare === 'segment') return { ...scope, segmentId: against };
  if (compare === 'version') return { ...scope, versions: [against] };
  if (compare !== 'arm') return scope;
  const [experimentId = '', arm = ''] = against.split('/');
  return { ...scope, experimentId, variants: [arm] };
}

/** The names of the filters in force that say nothing of runs. */
export const leftOut = (search: ScopeSearch): string[] =>
  filtersOf(search)
    .filter((filter) => !applies(filter))
    .map(({ dimension }) => dimensions[dimension].name);
