import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { may } from '../../app/session/session';
import { ScopeBar } from '../../scope/ScopeBar';
import { Card } from '../../ui/Card';
import { SegmentedControl } from '../../ui/SegmentedControl';
import { FlowGrid } from './FlowGrid';
import styles from './FlowsPage.module.css';
import { FlowTable } from './FlowTable';
import { NewFlow } from './NewFlow';
import { flowsQuery, type Listed } from './queries';

const appRoute = getRouteApi('/apps/$app/$environment');
const flowsRoute = getRouteApi('/apps/$app/$environment/flows');

/** The flows of an app: what they look like, what serves them, and how many complete them. */
export function FlowsPage() {
  const search = flowsRoute.useSearch();
  const place = flowsRoute.useParams();
  const { access } = appRoute.useRouteContext();
  const navigate = flowsRoute.useNavigate();
  const answer = useQuery(flowsQuery(place, search));
  const app = answer.data?.data.app;
  const figures = new Map(app?.appFlowOverview?.nodes.map((row) => [row.flowId, row]));
  const { archived: _, as: __, ...scope } = search;
  const listed: Listed[] = (app?.flows?.nodes ?? []).map((flow) => ({
    flow,
    figures: figures.get(flow.id),
    serving: (app?.environment.channels?.nodes ?? []).filter(
      ({ version, experiment }) =>
        version?.flow.id === flow.id || experiment?.variants.some(({ version }) => version?.flow.id === flow.id),
    ),
    to: { params: { ...place, flow: flow.id }, search: scope },
  }));
  const editable = may(access, 'FLOW_EDIT');
  return (
    <>
      <ScopeBar title="Flows" grain={false} />
      <Card
        title="Flows"
        actions={
          <div className={styles.tools}>
            <Switch
              size="xs"
              label="Include archived"
              checked={search.archived === 'yes'}
              onChange={(event) => {
                const archived = event.currentTarget.checked ? ('yes' as const) : undefined;
                void navigate({ search: (before) => ({ ...before, archived }) });
              }}
            />
            <SegmentedControl
              size="xs"
              aria-label="Show flows as"
              value={search.as ?? 'pictures'}
              onChange={(value) =>
                void navigate({
                  search: (before) => ({ ...before, as: value === 'table' ? ('table' as const) : undefined }),
                })
              }
              data={[
                { value: 'pictures', label: 'Thumbnails' },
                { value: 'table', label: 'Table' },
              ]}
            />
            {editable && (app?.flows?.totalCount ?? 0) > 0 && <NewFlow />}
          </div>
        }
        answer={answer}
        part={({ app }) => app?.flows}
        path="app.flows"
        beside={['app.environment.channels', 'app.appFlowOverview']}
        waiting={{ height: 480 }}
        empty={({ totalCount }) =>
          totalCount > 0
            ? undefined
            : {
                title: 'No flow yet',
                why: 'A flow is a sequence of screens: onboarding, a quiz, a paywall. Start from a template, or import your own.',
                next: editable ? <NewFlow /> : <span>Ask an editor to create one.</span>,
              }
        }
      >
        {() => (search.as === 'table' ? <FlowTable flows={listed} /> : <FlowGrid flows={listed} />)}
      </Card>
    </>
  );
}
