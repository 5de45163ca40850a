import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';

import { may } from '../app/session/session';
import type { Place } from '../scope/scope';
import { useChange } from '../scope/useChange';
import { Card } from '../ui/Card';
import { Empty } from '../ui/Empty';
import { Figures } from '../ui/Figures';
import { formatAgo } from '../ui/format';
import { nameOfId } from '../ui/handle';
import { Icon } from '../ui/Icon';
import { Avatar, Country } from '../ui/Person';
import { Identity } from './Identity';
import styles from './People.module.css';
import { PersonActs } from './PersonActs';
import { PersonTimeline } from './PersonTimeline';
import { personQuery } from './queries';

const appRoute = getRouteApi('/apps/$app/$environment');
const personRoute = getRouteApi('/apps/$app/$environment/people/person');

/** One person: who they are, what they use and agreed to, and all that happened to them. */
export function PersonPage() {
  const { device, custom, rows } = personRoute.useSearch();
  const place: Place = personRoute.useParams();
  const { access } = appRoute.useRouteContext();
  const change = useChange();
  const answer = useQuery(personQuery(place, { device, custom }, rows));
  const app = answer.data?.data.app;
  const person = app?.person;
  const id = person?.customUserId || custom || device || '';
  const name = [person?.firstName, person?.lastName].filter(Boolean).join(' ') || person?.email || nameOfId(id);
  if (answer.data && app && !person) {
    return (
      <>
        <h1 className={styles.title}>Not found</h1>
        <Empty
          title={`No user “${custom ?? device}”`}
          why="The id is wrong, or the user’s data was erased."
          next={
            <Link to="/apps/$app/$environment/people" params={place}>
              View all users
            </Link>
          }
        />
      </>
    );
  }
  return (
    <>
      <Link to="/apps/$app/$environment/people" params={place}>
        <Icon name="left" size={12} /> Users
      </Link>
      <header className={styles.header}>
        <Avatar id={id} name={name} large />
        <h1 className={styles.title}>{name}</h1>
      </header>
      <div className={styles.columns}>
        <Card title="Timeline" answer={answer} part={({ app }) => app?.person} path="app.person" waiting={{ rows: 14 }}>
          {({ activity, timeline }) => (
            <>
              <Figures
                figures={[
                  { name: 'Starts', kind: 'count', value: activity.starts },
                  { name: 'Completions', kind: 'count', value: activity.completions },
                  { name: 'Revenue', kind: 'money', value: activity.revenueUsd },
                ]}
              />
              <PersonTimeline
                place={place}
                entries={timeline.nodes}
                total={timeline.totalCount}
                flows={app?.flows?.nodes ?? []}
                more={(rows) => change({ rows })}
              />
            </>
          )}
        </Card>
        <div className={styles.side}>
          <Card title="Profile" answer={answer} part={({ app }) => app?.person} path="app.person" waiting={{ rows: 8 }}>
            {(person) => (
              <Identity
                person={person}
                facts={[
                  [
                    'Status',
                    person.activity.status === 'COMPLETED' ? 'Completed a flow' : person.activity.status && 'In a flow',
                  ],
                  ['Language', person.activity.language],
                  ['Country', person.country && <Country key="country" code={person.country} />],
                  ['First seen', person.activity.firstSeenAt && formatAgo(person.activity.firstSeenAt)],
                  ['Last seen', person.activity.lastSeenAt && formatAgo(person.activity.lastSeenAt)],
                ]}
              />
            )}
          </Card>
          {person && may(access, 'PEOPLE_MANAGE') && (
            <PersonActs
              place={place}
              who={person.customUserId ? { custom: person.customUserId } : { device: device ?? custom }}
            />
          )}
        </div>
      </div>
    </>
  );
}
