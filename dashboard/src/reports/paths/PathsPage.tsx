import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Nobody } from '../../scope/Nobody';
import { ScopeBar } from '../../scope/ScopeBar';
import { comparedName, type Place } from '../../scope/scope';
import { useCompared } from '../../scope/useCompared';
import { Card } from '../../ui/Card';
import { CsvButton } from '../../ui/CsvButton';
import { downloadCsv } from '../../ui/csv';
import { RankedTable } from '../../ui/RankedTable';
import { AnchorForm, type Known } from './AnchorForm';
import { type Paths, sessionsBefore } from './layout';
import { kindName, nameOf } from './names';
import { PathsChart } from './PathsChart';
import styles from './PathsChart.module.css';
import { anchorsQuery, pathsQuery } from './queries';
import { type Anchor, toPaths } from './search';

const pathsRoute = getRouteApi('/apps/$app/$environment/paths');

/** Where sessions went from a page, a screen or an event, or how they got there. */
export function PathsPage() {
  const search = pathsRoute.useSearch();
  const place: Place = pathsRoute.useParams();
  const { kind, name, direction, steps, nodes, group, ...scope } = search;
  const there = useQuery(anchorsQuery(place, scope));
  const known = knownOf(there.data?.data.app?.productAnalytics);
  const anchor = kind && name ? { kind, name } : usual(known);
  const answer = useQuery(pathsQuery(place, anchor, search));
  const compared = useCompared(pathsQuery(place, anchor, search, 'compared'), search)?.data.app?.productAnalytics;
  const before = direction === 'before';
  const beside = comparedName(search);
  const title = anchor ? `Paths ${before ? 'to' : 'from'} ${anchor.name}` : 'Paths';
  const form = anchor && <AnchorForm anchor={anchor} search={search} known={known} />;
  if (!anchor && there.data) {
    return (
      <>
        <ScopeBar title="Paths" />
        <Card
          title="Paths"
          answer={there}
          part={({ app }) => app?.productAnalytics?.events}
          path="app.productAnalytics.events"
          waiting={{ height: 420 }}
        >
          {() => <Nobody />}
        </Card>
      </>
    );
  }
  return (
    <>
      <ScopeBar title="Paths" />
      {form}
      <Card
        title={title}
        answer={answer}
        part={({ app }) => app?.productAnalytics?.paths}
        path="app.productAnalytics.paths"
        figures={({ nodes }) => ({
          pathSessions: nodes[1]?.sessions,
          pathShare: nodes[0] && nodes[1] ? nodes[1].sessions / nodes[0].sessions : undefined,
          anchorSessions: nodes[0]?.sessions,
          pathEnded: nodes[1]?.ended,
        })}
        example={({ nodes }) => nodes[1] && `“${nameOf(nodes[1])}”, the first node of step 2`}
        waiting={{ height: 420 }}
        empty={({ sessions }) =>
          sessions > 0 ? undefined : (
            <p>No session in this period has this anchor. Choose another anchor, or a longer period.</p>
          )
        }
      >
        {(paths) => (
          <>
            <PathsChart
              title={title}
              paths={paths}
              before={before}
              input={toPaths(anchor!, search)}
              compared={compared?.paths}
            />
            <p className={styles.note}>
              Each session counts {before ? 'up to' : 'from'} its first {anchor?.kind === 'event' ? 'event' : 'view'} of
              the anchor. Gray shows where sessions {before ? 'began' : 'ended'}.
              {compared?.paths ? ` The second share is of the ${beside.toLowerCase()}.` : ''}
            </p>
          </>
        )}
      </Card>
      <Card
        title="Nodes"
        answer={answer}
        part={({ app }) => app?.productAnalytics?.paths}
        path="app.productAnalytics.paths"
        figures={() => ({ pathSessions: undefined, pathEnded: undefined })}
        waiting={{ rows: 12 }}
        actions={
          answer.data?.data.app?.productAnalytics?.paths && (
            <CsvButton save={() => downloadCsv('paths', cellsOf(answer.data.data.app!.productAnalytics!.paths!))} />
          )
        }
      >
        {(paths) => {
          const earlier = sessionsBefore(paths.nodes, compared?.paths);
          return (
            <RankedTable
              name="Node"
              rows={paths.nodes}
              bars={1}
              columns={[
                { id: 'step', name: 'Step', kind: 'count', value: ({ step }) => step },
                { id: 'sessions', name: 'Sessions', kind: 'count', value: ({ sessions }) => sessions },
                ...(compared?.paths
                  ? [
                      {
                        id: 'compared',
                        name: beside,
                        kind: 'count' as const,
                        value: ({ node }: Paths['nodes'][number]) => earlier.get(node),
                      },
                    ]
                  : []),
                {
                  id: 'share',
                  name: 'Share',
                  kind: 'share',
                  value: ({ sessions }) => sessions / Math.max(1, paths.sessions),
                },
                { id: 'ended', name: before ? 'Began' : 'Ended', kind: 'count', value: ({ ended }) => ended },
              ]}
              keyOf={({ node }) => String(node)}
              label={(node) => nameOf(node)}
            />
          );
        }}
      </Card>
    </>
  );
}

type Reports = {
  screens: { nodes: { value: string; kind: string }[] } | null;
  events: { nodes: { name: string; builtIn: boolean }[] } | null;
};

function knownOf(reports: Reports | null | undefined): Known {
  const views = reports?.screens?.nodes ?? [];
  const named = (kind: string) => views.filter((view) => view.kind === kind).map(({ value }) => value);
  const events = (reports?.events?.nodes ?? []).filter(({ name }) => name !== 'page_view' && name !== 'screen_view');
  return { page: named('PAGE'), screen: named('SCREEN'), event: events.map(({ name }) => name) };
}

/** What most visitors view, else do. */
function usual({ page, screen, event }: Known): Anchor | undefined {
  for (const [kind, names] of [
    ['page', page],
    ['screen', screen],
    ['event', event],
  ] as const) {
    const name = names.find(Boolean);
    if (name) return { kind, name };
  }
  return undefined;
}

/** The links as rows, and what ended. */
function cellsOf({ nodes, links }: Paths) {
  const called = (place: number) => [kindName(nodes[place]!), nameOf(nodes[place]!)];
  return [
    ['Step', 'From kind', 'From', 'To kind', 'To', 'Sessions'],
    ...links.map(({ from, to, sessions }) => [nodes[from]!.step, ...called(from), ...called(to), sessions]),
    ...nodes
      .filter(({ ended }) => ended > 0)
      .map((node) => [node.step, ...called(node.node), '', '(none)', node.ended]),
  ];
}
