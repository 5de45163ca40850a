import { Drawer } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { VisitorMetric } from '../../graphql/schema.gen';
import { Nobody } from '../../scope/Nobody';
import { ReportTable } from '../../scope/ReportTable';
import { ScopeBar } from '../../scope/ScopeBar';
import { valueName } from '../../scope/valueName';
import { Card } from '../../ui/Card';
import { CopyText } from '../../ui/CopyText';
import { nameOfId } from '../../ui/handle';
import { Country, Device, Facts, Person } from '../../ui/Person';
import type { Column } from '../../ui/RankedTable';
import { type VisitorRow, visitorsQuery } from './queries';
import { Timeline } from './Timeline';

const visitorsRoute = getRouteApi('/apps/$app/$environment/visitors');

const columns: Column<VisitorRow, VisitorMetric>[] = [
  {
    id: 'last',
    name: 'Last seen',
    kind: 'time',
    value: ({ lastSeen }) => Date.parse(lastSeen),
    sort: 'LAST_SEEN',
  },
  { id: 'sessions', name: 'Sessions', kind: 'count', value: ({ sessions }) => sessions, sort: 'SESSIONS' },
  { id: 'views', name: 'Views', kind: 'count', value: ({ views }) => views, sort: 'VIEWS' },
  { id: 'events', name: 'Events', kind: 'count', value: ({ events }) => events, sort: 'EVENTS' },
  { id: 'runs', name: 'Runs', kind: 'count', value: ({ runs }) => runs, sort: 'RUNS' },
  {
    id: 'completed',
    name: 'Completed',
    kind: 'count',
    value: ({ completedRuns }) => completedRuns,
    sort: 'COMPLETED_RUNS',
  },
  { id: 'revenue', name: 'Revenue', kind: 'money', value: ({ revenueUsd }) => revenueUsd, sort: 'REVENUE_USD' },
];

/** The people of the range, and what each of them did. */
export function VisitorsPage() {
  const { user, ...search } = visitorsRoute.useSearch();
  const place = visitorsRoute.useParams();
  const navigate = visitorsRoute.useNavigate();
  const answer = useQuery(visitorsQuery(place, search));
  const { by: _by, order: _order, q: _q, rows: _rows, hide: _hide, ...scope } = search;
  const open = (user?: string) => void navigate({ search: (before) => ({ ...before, user }), resetScroll: false });
  return (
    <>
      <ScopeBar title="Visitors" grain={false} />
      <Card
        title="Visitors"
        answer={answer}
        part={({ app }) => app?.productAnalytics?.visitors}
        path="app.productAnalytics.visitors"
        waiting={{ rows: 14 }}
        empty={({ totalCount }) => (totalCount > 0 || search.q ? undefined : <Nobody />)}
      >
        {(page) => (
          <ReportTable
            name="Visitor"
            rows={page.nodes}
            total={page.totalCount}
            columns={columns}
            keyOf={({ appUserId }) => appUserId}
            label={(row) => <Who row={row} />}
            plain
            text={({ appUserId }) => appUserId}
            file="visitors"
            search={search}
            usual="LAST_SEEN"
            pick={({ appUserId }) => open(appUserId)}
          />
        )}
      </Card>
      <Drawer
        opened={user !== undefined}
        onClose={() => open()}
        title={user && nameOfId(user)}
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {user !== undefined && (
          <>
            <CopyText text={user} />
            <p>
              <Link to="/apps/$app/$environment/people/person" params={place} search={{ device: user }}>
                View profile
              </Link>
            </p>
          </>
        )}
        {user !== undefined && <Timeline place={place} scope={scope} user={user} />}
      </Drawer>
    </>
  );
}

function Who({ row: { appUserId, customUserId, country, device, source } }: { row: VisitorRow }) {
  const name = nameOfId(customUserId || appUserId);
  const facts = [
    country && <Country key="country" code={country} />,
    device && (
      <Device key="device" kind={device}>
        {valueName('device', device)}
      </Device>
    ),
    source,
  ];
  return (
    <Person id={customUserId || appUserId} name={name} beside={<Facts facts={facts} />}>
      <b>{name}</b>
    </Person>
  );
}
