import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ScopeBar } from '../../scope/ScopeBar';
import { Card } from '../../ui/Card';
import { Figure } from '../../ui/Figure';
import { formatAgo } from '../../ui/format';
import styles from './FlowsPage.module.css';
import { flowsQuery, flowsRoute } from './flows';

/** The flows of an app: what serves them, and how many complete them. */
export function FlowsPage() {
  const search = flowsRoute.useSearch();
  const place = flowsRoute.useParams();
  const navigate = useNavigate({ from: flowsRoute.fullPath });
  const answer = useQuery(flowsQuery(place, search));
  const app = answer.data?.data.app;
  const figures = new Map(app?.appFlowOverview?.nodes.map((row) => [row.flowId, row]));
  const channels = app?.environment.channels?.nodes ?? [];
  const { archived: _, ...scope } = search;
  return (
    <>
      <ScopeBar title="Flows" grain={false} />
      <Card
        title="Flows"
        actions={
          <Switch
            size="xs"
            label="Archived too"
            checked={search.archived === 'yes'}
            onChange={(event) => {
              const archived = event.currentTarget.checked ? ('yes' as const) : undefined;
              void navigate({ search: (before) => ({ ...before, archived }) });
            }}
          />
        }
        answer={answer}
        part={({ app }) => app?.flows}
        path="app.flows"
        waiting={{ rows: 6 }}
        empty={({ totalCount }) =>
          totalCount > 0
            ? undefined
            : {
                title: 'No flow yet',
                why: 'A flow is what people go through: onboarding, a quiz, a paywall. Bring one from your repository.',
                next: <code>svc flow push flow.json</code>,
              }
        }
      >
        {({ nodes }) => (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on a phone, so the keyboard must reach it
          <section className={styles.scroll} tabIndex={0} aria-label="Flows">
            <table className={styles.flows}>
              <thead>
                <tr>
                  <th scope="col">Flow</th>
                  <th scope="col">Served by</th>
                  <th scope="col">Published</th>
                  <th scope="col">Starts</th>
                  <th scope="col">Completed</th>
                  <th scope="col">Purchases</th>
                  <th scope="col">Revenue</th>
                </tr>
              </thead>
              <tbody>
                {nodes.map(({ id, name, archivedAt, versions, updatedAt }) => {
                  const row = figures.get(id);
                  const serving = channels.filter((channel) => channel.version?.flow.id === id);
                  const latest = versions.nodes[0];
                  return (
                    <tr key={id}>
                      <th scope="row">
                        <Link to="/apps/$app/$environment/flows/$flow" params={{ ...place, flow: id }} search={scope}>
                          {name}
                        </Link>
                        <small>{archivedAt ? 'archived' : `draft saved ${formatAgo(updatedAt)}`}</small>
                      </th>
                      <td>
                        {serving.map((channel) => channel.name).join(', ') || (
                          <span className={styles.none}>no channel</span>
                        )}
                      </td>
                      <td>
                        {latest ? (
                          `v${latest.number}${latest.label && ` · ${latest.label}`}`
                        ) : (
                          <span className={styles.none}>never</span>
                        )}
                      </td>
                      <td>
                        <Figure value={row?.starts ?? 0} kind="count" />
                      </td>
                      <td>
                        <Figure value={row?.completionRate} kind="share" />
                      </td>
                      <td>
                        <Figure value={row?.purchases ?? 0} kind="count" />
                      </td>
                      <td>
                        <Figure value={row?.revenue ?? 0} kind="money" />
                      </td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </section>
        )}
      </Card>
    </>
  );
}
