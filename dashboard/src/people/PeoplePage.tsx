import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ReportTable } from '../scope/ReportTable';
import type { Place } from '../scope/scope';
import { Card } from '../ui/Card';
import { isMachineId, nameOfId } from '../ui/handle';
import { Country, Facts, Person } from '../ui/Person';
import type { Column } from '../ui/RankedTable';
import { Mail } from './Mail';
import styles from './People.module.css';
import { mostPeople, type PersonRow, peopleQuery } from './queries';

const peopleRoute = getRouteApi('/apps/$app/$environment/people');

const time = (at: string | null) => (at === null ? null : Date.parse(at));

type Sort = 'FIRST_SEEN' | 'LAST_SEEN' | 'STARTS' | 'COMPLETIONS' | 'REVENUE';

const columns: Column<PersonRow, Sort>[] = [
  { id: 'starts', name: 'Starts', kind: 'count', value: ({ activity }) => activity.starts, sort: 'STARTS' },
  {
    id: 'completions',
    name: 'Completions',
    kind: 'count',
    value: ({ activity }) => activity.completions,
    sort: 'COMPLETIONS',
  },
  { id: 'revenue', name: 'Revenue', kind: 'money', value: ({ activity }) => activity.revenueUsd, sort: 'REVENUE' },
  {
    id: 'first',
    name: 'First seen',
    kind: 'time',
    value: ({ activity }) => time(activity.firstSeenAt),
    sort: 'FIRST_SEEN',
  },
  {
    id: 'last',
    name: 'Last seen',
    kind: 'time',
    value: ({ activity }) => time(activity.lastSeenAt),
    sort: 'LAST_SEEN',
  },
];

/** The people whom the app identified. Whoever was only seen is among the visitors. */
export function PeoplePage() {
  const search = peopleRoute.useSearch();
  const place: Place = peopleRoute.useParams();
  const answer = useQuery(peopleQuery(place, search));
  return (
    <>
      <h1 className={styles.title}>Users</h1>
      <Card
        title="Identified users"
        answer={answer}
        part={({ app }) => app?.people}
        path="app.people"
        waiting={{ rows: 14 }}
        empty={({ nodes }) =>
          nodes.length > 0 || search.q
            ? undefined
            : {
                title: 'No identified users yet',
                why: 'An app identifies its users with identify() of the SDK. Anonymous users are listed as visitors.',
                next: (
                  <Link to="/apps/$app/$environment/visitors" params={place}>
                    View visitors
                  </Link>
                ),
              }
        }
      >
        {({ nodes, totalCount, pageInfo }) => (
          <>
            <ReportTable
              name="User"
              rows={nodes}
              total={totalCount}
              most={mostPeople}
              searchLabel="Device ID, user ID or email starts with"
              nothing={`No user’s id or email starts with “${search.q ?? ''}”.`}
              columns={columns}
              keyOf={({ customUserId }) => customUserId}
              label={(row) => <Name row={row} place={place} />}
              text={({ customUserId }) => customUserId}
              file="people"
              search={search}
              usual={undefined}
              local="order"
              plain
            />
            <p className={styles.pages}>
              {search.after && (
                <Link to="." search={(before: object) => ({ ...before, after: undefined })}>
                  First page
                </Link>
              )}
              {pageInfo.hasNextPage && pageInfo.endCursor && (
                <Link to="." search={(before: object) => ({ ...before, after: pageInfo.endCursor ?? undefined })}>
                  Next page
                </Link>
              )}
            </p>
          </>
        )}
      </Card>
    </>
  );
}

function Name({ row, place }: { row: PersonRow; place: Place }) {
  const { customUserId, email, firstName, lastName, country, activity } = row;
  const status = activity.status && { COMPLETED: 'completed a flow', IN_PROGRESS: 'is in a flow' }[activity.status];
  const name = [firstName, lastName].filter(Boolean).join(' ') || email || customUserId;
  const facts = [
    email && <Mail key="mail" address={email} />,
    customUserId !== name && !isMachineId(customUserId) && customUserId,
    country && <Country key="country" code={country} />,
    activity.language,
    status,
  ];
  return (
    <Person id={customUserId} name={name} beside={<Facts facts={facts} />}>
      <Link
        className={styles.person}
        to="/apps/$app/$environment/people/person"
        params={place}
        search={{ custom: customUserId }}
      >
        {nameOfId(name)}
      </Link>
    </Person>
  );
}
