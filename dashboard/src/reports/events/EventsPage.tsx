import { Drawer } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ValueChart } from '../../charts/ValueChart';
import type { DataOf } from '../../graphql/graphql';
import { withRow } from '../../scope/filters';
import { Nobody } from '../../scope/Nobody';
import { ReportTable } from '../../scope/ReportTable';
import { ScopeBar } from '../../scope/ScopeBar';
import type { Place, ScopeSearch } from '../../scope/scope';
import { useChart } from '../../scope/useChart';
import { useCompared } from '../../scope/useCompared';
import { useView } from '../../scope/useView';
import { shareToken } from '../../share/link';
import { Card } from '../../ui/Card';
import { formatAgo } from '../../ui/format';
import type { Column } from '../../ui/RankedTable';
import { ImportedRows } from '../imported/ImportedRows';
import { eventsQuery } from './queries';
import { RecentRows } from './RecentRows';

const eventsRoute = getRouteApi('/apps/$app/$environment/events');

type Row = NonNullable<
  NonNullable<NonNullable<DataOf<'Events'>['app']>['productAnalytics']>['events']
>['nodes'][number];

const columns: Column<Row, 'COUNT' | 'VISITORS' | 'SESSIONS' | 'LAST_SEEN'>[] = [
  { id: 'count', name: 'Count', kind: 'count', value: ({ count }) => count, sort: 'COUNT' },
  { id: 'visitors', name: 'Visitors', kind: 'count', value: ({ visitors }) => visitors, sort: 'VISITORS' },
  { id: 'sessions', name: 'Sessions', kind: 'count', value: ({ sessions }) => sessions, sort: 'SESSIONS' },
];

/** Events by name, over time, and their latest rows with what they said. */
export function EventsPage() {
  const { event, ...search } = eventsRoute.useSearch();
  const place: Place = eventsRoute.useParams();
  const navigate = eventsRoute.useNavigate();
  const answer = useQuery(eventsQuery(place, search));
  const compared = useCompared(eventsQuery(place, search, 'compared'), search)?.data.app?.productAnalytics;
  const chart = useChart(answer.data?.data.app?.productAnalytics?.eventsSeries?.[0]?.points.length ?? 0);
  const { by: _by, order: _order, q: _q, rows: _rows, hide: _hide, ...scope } = search satisfies ScopeSearch & object;
  const { filters, setFilters } = useView();
  const open = (event?: string) => void navigate({ search: (before) => ({ ...before, event }), resetScroll: false });
  // The chart above says so, once.
  const nobody = answer.data?.data.app?.productAnalytics?.eventsSeries?.length === 0;
  return (
    <>
      <ScopeBar title="Events" />
      <Card
        title="Events over time"
        answer={answer}
        part={({ app }) => app?.productAnalytics?.eventsSeries}
        path="app.productAnalytics.eventsSeries"
        figures={() => ({ eventTimes: undefined, eventVisitors: undefined, eventSessions: undefined })}
        waiting={{ height: 290 }}
        empty={(series) => (series.length > 0 ? undefined : <Nobody />)}
      >
        {(series) => (
          <ValueChart
            title="Events over time"
            series={series}
            compared={compared?.eventsSeries}
            nameOf={(name) => name}
            kind="count"
            {...chart}
          />
        )}
      </Card>
      {!nobody && (
        <Card
          title="Events"
          answer={answer}
          part={({ app }) => app?.productAnalytics?.events}
          path="app.productAnalytics.events"
          figures={({ nodes }) => ({
            eventTimes: nodes[0]?.count,
            eventVisitors: nodes[0]?.visitors,
            eventSessions: nodes[0]?.sessions,
          })}
          example={({ nodes }) => nodes[0] && `“${nodes[0].name}”, the first row`}
          waiting={{ rows: 12 }}
        >
          {(page) => (
            <ReportTable
              name="Event"
              rows={page.nodes}
              total={page.totalCount}
              columns={columns}
              keyOf={({ name }) => name}
              label={({ name, lastSeen }) => (
                <>
                  {name} <small>{formatAgo(lastSeen)}</small>
                </>
              )}
              text={({ name }) => name}
              file="events"
              search={search}
              compared={compared?.events}
              usual="COUNT"
              // Readers of a shared link see no single rows.
              pick={({ name }, exclude) =>
                shareToken ? setFilters(withRow(filters, 'event', name, exclude)) : open(name)
              }
            />
          )}
        </Card>
      )}
      <ImportedRows name="Event" dimension="EVENT" nameOf={(value) => value} />
      <Drawer
        opened={event !== undefined && !shareToken}
        onClose={() => open()}
        title={event}
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {event !== undefined && !shareToken && <RecentRows place={place} scope={scope} event={event} />}
      </Drawer>
    </>
  );
}
