import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Card } from '../../ui/Card';
import { RankedTable } from '../../ui/RankedTable';
import { More } from './More';
import { homeGoalsQuery } from './queries';
import { scopeOf } from './search';

const homeRoute = getRouteApi('/apps/$app/$environment/home');

/** How many visitors met each goal. */
export function Goals() {
  const place = homeRoute.useParams();
  const scope = scopeOf(homeRoute.useSearch());
  const answer = useQuery(homeGoalsQuery(place, scope));
  return (
    <Card
      title="Goals"
      answer={answer}
      part={({ app }) => app?.productAnalytics?.goals}
      path="app.productAnalytics.goals"
      figures={({ nodes }) => ({ converters: nodes[0]?.converters, goalRate: nodes[0]?.rate })}
      example={({ nodes }) => nodes[0] && `“${nodes[0].name}”, the first row`}
      waiting={{ rows: 8 }}
      empty={({ totalCount }) =>
        totalCount > 0
          ? undefined
          : {
              title: 'No goals yet',
              why: 'A goal is something visitors should do, counted for the past as well.',
              next: (
                <Link to="/apps/$app/$environment/goals" params={place} search={scope}>
                  Go to goals
                </Link>
              ),
            }
      }
    >
      {({ nodes }) => (
        <>
          <RankedTable
            name="Goal"
            rows={nodes}
            columns={[
              { id: 'converters', name: 'Converters', kind: 'count', value: ({ converters }) => converters },
              { id: 'rate', name: 'Rate', kind: 'share', value: ({ rate }) => rate },
            ]}
            keyOf={({ goalId }) => goalId}
            label={({ goalId, name }) => (
              <Link to="/apps/$app/$environment/goals" params={place} search={{ ...scope, goal: goalId }}>
                {name}
              </Link>
            )}
          />
          <More to="/apps/$app/$environment/goals" />
        </>
      )}
    </Card>
  );
}
