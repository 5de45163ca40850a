import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Place } from '../scope/scope';
import { useChange } from '../scope/useChange';
import { Card } from '../ui/Card';
import { countryName, dash, formatAgo, formatExact, formatShort } from '../ui/format';
import { Icon } from '../ui/Icon';
import styles from './People.module.css';
import { type PersonRow, peopleQuery, peopleRoute } from './people';

/** The people whom the app identified. Whoever was only seen is among the visitors. */
export function PeoplePage() {
  const search = peopleRoute.useSearch();
  const place: Place = peopleRoute.useParams();
  const answer = useQuery(peopleQuery(place, search));
  return (
    <>
      <h1 className={styles.title}>People</h1>
      <Card
        title="Identified people"
        answer={answer}
        part={({ app }) => app?.people}
        path="app.people"
        waiting={{ rows: 14 }}
        actions={<Search text={search.q ?? ''} />}
        empty={({ nodes }) =>
          nodes.length > 0
            ? undefined
            : {
                title: search.q ? `Nobody’s id or e-mail begins with “${search.q}”` : 'Nobody is identified yet',
                why: 'The app says who somebody is by calling identify of the SDK. Whoever was only seen is a visitor.',
                next: (
                  <Link to="/apps/$app/$environment/visitors" params={place}>
                    See the visitors
                  </Link>
                ),
              }
        }
      >
        {({ nodes, totalCount, pageInfo }) => (
          <>
            <Table rows={nodes} place={place} />
            <p className={styles.pages}>
              <span>{formatExact(totalCount, 'count')} people</span>
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

function Table({ rows, place }: { rows: readonly PersonRow[]; place: Place }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on a phone, so the keyboard must reach it
    <section className={styles.scroll} tabIndex={0} aria-label="People">
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Person</th>
            <th scope="col">Status</th>
            <th scope="col">Language</th>
            <th scope="col">First seen</th>
            <th scope="col">Last seen</th>
            <th scope="col">Starts</th>
            <th scope="col">Completions</th>
            <th scope="col">Revenue</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ customUserId, email, firstName, lastName, country, activity }) => (
            <tr key={customUserId}>
              <th scope="row">
                <Link to="/apps/$app/$environment/people/person" params={place} search={{ custom: customUserId }}>
                  {[firstName, lastName].filter(Boolean).join(' ') || email || customUserId}
                </Link>
                <small>{[email, customUserId, country && countryName(country)].filter(Boolean).join(' · ')}</small>
              </th>
              <td>
                {activity.status ? { COMPLETED: 'Completed', IN_PROGRESS: 'In progress' }[activity.status] : dash}
              </td>
              <td>{activity.language || dash}</td>
              <td>{activity.firstSeenAt ? formatAgo(activity.firstSeenAt) : dash}</td>
              <td>{activity.lastSeenAt ? formatAgo(activity.lastSeenAt) : dash}</td>
              <td>{formatShort(activity.starts, 'count')}</td>
              <td>{formatShort(activity.completions, 'count')}</td>
              <td>{formatShort(activity.revenueUsd, 'money')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Search({ text }: { text: string }) {
  const [typed, setTyped] = useState(text);
  const change = useChange();
  const later = useDebouncedCallback((q: string) => change({ q: q.trim() || undefined, after: undefined }, true), 200);
  return (
    <TextInput
      w={280}
      aria-label="Search people"
      placeholder="Id, custom id or e-mail begins with"
      leftSection={<Icon name="search" size={14} />}
      value={typed}
      onChange={(event) => {
        setTyped(event.target.value);
        later(event.target.value);
      }}
    />
  );
}
