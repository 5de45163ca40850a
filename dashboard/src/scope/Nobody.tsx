import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { graphql } from '../graphql/graphql';
import { query } from '../graphql/query';
import { shareToken } from '../share/link';
import { Empty } from '../ui/Empty';
import { Waiting } from '../ui/Waiting';
import { type Place, toScope } from './scope';
import { useView } from './useView';

const document = graphql<'Anybody'>(`
  query Anybody($app: ID!, $scope: ScopeInput!) {
    app(id: $app) { productAnalytics(scope: $scope) { summary { events } } }
  }`);

/** Where a report without anybody looks instead. */
const longer = { range: '12mo' } as const;

/** Whether anybody did anything in the longer range; undefined until that is known. */
export function useAnybody(place: Place): boolean | undefined {
  const answer = useQuery({
    ...query(document, place, () => ({ app: place.app, scope: toScope(place, longer, new Date()) })),
    enabled: !shareToken, // whoever shares reports has some
  });
  const summary = answer.data?.data.app?.productAnalytics?.summary;
  // What can't be answered now is no reason to say that nobody ever came.
  return summary ? summary.events > 0 : shareToken || answer.data || answer.isError ? true : undefined;
}

/** What stands in the place of a report of an app that has sent nothing. */
export function NoEvents({ place }: { place: Place }) {
  return (
    <Empty
      title="No events yet"
      why="Data appears once your app sends its first event."
      next={
        <Link to="/apps/$app/$environment/start" params={place}>
          Connect your app
        </Link>
      }
    />
  );
}

/** What a report says whose scope nobody is in. */
export function Nobody() {
  const { place } = useView();
  const anybody = useAnybody(place);
  if (anybody === undefined) return <Waiting height={120} />;
  if (!anybody) return <NoEvents place={place} />;
  return (
    <Empty
      title="No data in this period"
      why="No visitors, or none match the filters."
      next={
        <Link to="." search={longer}>
          View last 12 months
        </Link>
      }
    />
  );
}
