import { type DataOf, graphql } from '../graphql/graphql';
import { query } from '../graphql/query';
import type {
  AttributionDimension,
  EngagementDimension,
  LocationDimension,
  TechnologyDimension,
} from '../graphql/schema.gen';
import type { Dimension } from './filters';
import { type Place, type ScopeSearch, toScope } from './scope';

const document = graphql<'FilterValues'>(`
  query FilterValues(
    $app: ID!, $scope: ScopeInput!, $search: String!
    $attribution: AttributionDimension! = SOURCE, $isAttribution: Boolean! = false
    $location: LocationDimension! = COUNTRY, $isLocation: Boolean! = false
    $engagement: EngagementDimension! = PAGE, $isEngagement: Boolean! = false
    $technology: TechnologyDimension! = BROWSER, $isTechnology: Boolean! = false
    $isEvent: Boolean! = false, $isGoal: Boolean! = false
  ) {
    app(id: $app) { productAnalytics(scope: $scope) {
      attribution(dimension: $attribution, search: $search, first: 20) @include(if: $isAttribution) { nodes { value visitors } }
      demographic(dimension: $location, search: $search, first: 20) @include(if: $isLocation) { nodes { value visitors } }
      engagement(dimension: $engagement, search: $search, first: 20) @include(if: $isEngagement) { nodes { value visitors } }
      technology(dimension: $technology, search: $search, first: 20) @include(if: $isTechnology) { nodes { value visitors } }
      events(search: $search, first: 20) @include(if: $isEvent) { nodes { name visitors } }
      goals(search: $search, first: 20) @include(if: $isGoal) { nodes { goalId name converters } }
    } }
  }`);

type Source =
  | { isAttribution: true; attribution: AttributionDimension }
  | { isLocation: true; location: LocationDimension }
  | { isEngagement: true; engagement: EngagementDimension }
  | { isTechnology: true; technology: TechnologyDimension }
  | { isEvent: true }
  | { isGoal: true };

/** A value that filters may have, with the visitors that have it; `name` where the value is an id. */
export type FilterValue = { value: string; visitors: number; name?: string };

/** The report that lists a dimension's values. */
const sources: Record<Dimension, Source> = {
  channel: { isAttribution: true, attribution: 'ACQUISITION_CHANNEL' },
  referrer: { isAttribution: true, attribution: 'REFERRER' },
  source: { isAttribution: true, attribution: 'SOURCE' },
  medium: { isAttribution: true, attribution: 'MEDIUM' },
  campaign: { isAttribution: true, attribution: 'CAMPAIGN' },
  country: { isLocation: true, location: 'COUNTRY' },
  region: { isLocation: true, location: 'REGION' },
  page: { isEngagement: true, engagement: 'PAGE' },
  entry: { isEngagement: true, engagement: 'ENTRY' },
  exit: { isEngagement: true, engagement: 'EXIT' },
  browser: { isTechnology: true, technology: 'BROWSER' },
  os: { isTechnology: true, technology: 'OS' },
  device: { isTechnology: true, technology: 'DEVICE' },
  event: { isEvent: true },
  goal: { isGoal: true },
};

/** The most frequent values of a dimension that contain a text, with their people; under the range, without filters. */
export function valuesQuery(place: Place, search: ScopeSearch, dimension: Dimension, text: string) {
  const scope: ScopeSearch = { ...search, f: undefined };
  return {
    ...query(document, [place, scope, dimension, text], () => ({
      app: place.app,
      scope: toScope(place, scope, new Date()),
      search: text,
      ...sources[dimension],
    })),
    select: ({ data }: { data: DataOf<'FilterValues'> }): FilterValue[] => {
      const reports = data.app?.productAnalytics;
      const rows = reports?.attribution ?? reports?.demographic ?? reports?.engagement ?? reports?.technology;
      if (rows) return rows.nodes;
      if (reports?.goals)
        return reports.goals.nodes.map(({ goalId, name, converters }) => ({
          value: goalId,
          name,
          visitors: converters,
        }));
      return (reports?.events?.nodes ?? []).map(({ name, visitors }) => ({ value: name, visitors }));
    },
  };
}
