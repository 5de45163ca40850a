import { graphql } from '../../graphql/graphql';
import { query } from '../../graphql/query';
import { kindOf, type Place, rangeOf, type ScopeSearch } from '../../scope/scope';

const document = graphql<'IngestHealth'>(`
  query IngestHealth($app: ID!, $environment: EnvironmentKind!, $range: RangeInput!, $grain: IngestGrain!) {
    app(id: $app) { ingestHealth(environment: $environment, range: $range, grain: $grain) {
      exact accepted duplicates ignored rejected { code count samples { receivedAt eventId name message } } namesOverBudget sessionEventsOverLimit runEventsOverLimit
      runsWithoutStart assignmentsLeftOut correctedTimes events visitors delay { p50 p90 p99 }
      points { bucket accepted duplicates ignored rejected events }
    } }
  }`);

const twoDays = 2 * 86_400_000;

/** Hours for up to two days, then days: what ingest counts by. */
export const healthGrain = (search: ScopeSearch, now: Date) => {
  const { start, end } = rangeOf(search, now);
  return end.getTime() - start.getTime() <= twoDays ? ('HOUR' as const) : ('DAY' as const);
};

export const healthQuery = (place: Place, scope: ScopeSearch) =>
  query(
    document,
    [place, scope],
    () => {
      const now = new Date();
      const { start, end } = rangeOf(scope, now);
      return {
        app: place.app,
        environment: kindOf(place.environment),
        range: { start: start.toISOString(), end: end.toISOString() },
        grain: healthGrain(scope, now),
      };
    },
    30_000,
  );
