import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Card } from '../../ui/Card';
import { RankedTable } from '../../ui/RankedTable';
import { More } from './More';
import { homeFlowsQuery } from './queries';
import { scopeOf } from './search';

const homeRoute = getRouteApi('/apps/$app/$environment/home');

/** The flows that were started most. */
export function Flows() {
  const place = homeRoute.useParams();
  const scope = scopeOf(homeRoute.useSearch());
  const answer = useQuery(homeFlowsQuery(place, scope));
  const names = new Map(answer.data?.data.app?.flows?.nodes.map(({ id, name }) => [id, name]));
  return (
    <Card
      title="Flows"
      answer={answer}
      part={({ app }) => app?.appFlowOverview}
      path="app.appFlowOverview"
      waiting={{ rows: 8 }}
      empty={({ nodes }) =>
        nodes.length > 0
          ? undefined
          : {
              title: 'No runs in this period',
              why: 'A run begins when an app shows a flow.',
              next: (
                <Link to="/apps/$app/$environment/flows" params={place} search={scope}>
                  Go to flows
                </Link>
              ),
            }
      }
    >
      {({ nodes }) => (
        <>
          <RankedTable
            name="Flow"
            rows={nodes}
            columns={[
              { id: 'starts', name: 'Starts', kind: 'count', value: ({ starts }) => starts },
              { id: 'completed', name: 'Completed', kind: 'share', value: ({ completionRate }) => completionRate },
            ]}
            keyOf={({ flowId }) => flowId}
            label={({ flowId }) => (
              <Link to="/apps/$app/$environment/flows/$flow" params={{ ...place, flow: flowId }} search={scope}>
                {names.get(flowId) ?? 'Archived flow'}
              </Link>
            )}
          />
          <More to="/apps/$app/$environment/flows" />
        </>
      )}
    </Card>
  );
}
