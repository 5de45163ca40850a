import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { may, type WorkspaceAccess } from '../app/session/session';
import { send } from '../graphql/send';
import { Mail } from '../people/Mail';
import type { Place } from '../scope/scope';
import { Card } from '../ui/Card';
import { Confirm } from '../ui/Confirm';
import { formatExact } from '../ui/format';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { When } from '../ui/When';
import styles from './Automations.module.css';
import { removeSuppressionDocument, type Suppression, suppressionsChanged, suppressionsQuery } from './queries';

const appRoute = getRouteApi('/apps/$app/$environment');
const suppressedRoute = getRouteApi('/apps/$app/$environment/automations/suppressed');

const reasonNames = { UNSUBSCRIBED: 'Unsubscribed', BOUNCED: 'Bounced' } as const satisfies Record<
  Suppression['reason'],
  string
>;

/** Addresses that automations send nothing to, and why. */
export function SuppressedPage() {
  const search = suppressedRoute.useSearch();
  const place = suppressedRoute.useParams();
  const { access } = appRoute.useRouteContext();
  const answer = useQuery(suppressionsQuery(place, search));
  return (
    <>
      <Link className={styles.back} to="/apps/$app/$environment/automations" params={place}>
        All automations
      </Link>
      <h1 className={styles.title}>Suppressed addresses</h1>
      <Card
        title="Addresses that get no email"
        answer={answer}
        part={({ app }) => app?.emailSuppressions}
        path="app.emailSuppressions"
        waiting={{ rows: 8 }}
        empty={({ totalCount }) =>
          totalCount > 0 || search.email
            ? undefined
            : {
                title: 'No suppressed addresses',
                why: 'Whoever unsubscribes from an email of an automation is listed here, and every address that bounced.',
                next: (
                  <Link to="/apps/$app/$environment/automations" params={place}>
                    View automations
                  </Link>
                ),
              }
        }
      >
        {({ nodes, totalCount, pageInfo }) => (
          <>
            <Search count={totalCount} />
            {nodes.length === 0 ? (
              <p className={styles.note}>“{search.email}” is not suppressed in this environment.</p>
            ) : (
              <Table rows={nodes} place={place} access={access} />
            )}
            <p className={styles.pages}>
              {search.after && (
                <Link to="." search={{ ...search, after: undefined }}>
                  First page
                </Link>
              )}
              {pageInfo.hasNextPage && pageInfo.endCursor && (
                <Link to="." search={{ ...search, after: pageInfo.endCursor }}>
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

/** Looks for one address: only a key of each is stored, so that a part of it finds nothing. */
function Search({ count }: { count: number }) {
  const { email } = suppressedRoute.useSearch();
  const navigate = suppressedRoute.useNavigate();
  const field = useRef<HTMLInputElement>(null);
  return (
    <form
      className={styles.row}
      onSubmit={(event) => {
        event.preventDefault();
        void navigate({ search: { email: field.current?.value.trim() || undefined }, resetScroll: false });
      }}
    >
      <TextInput
        key={email}
        ref={field}
        type="search"
        w={280}
        aria-label="Find an address"
        placeholder="Find a whole address"
        defaultValue={email ?? ''}
      />
      {!email && (
        <small
          className={styles.note}
        >{`${formatExact(count, 'count')} ${count === 1 ? 'address' : 'addresses'}`}</small>
      )}
      {email && (
        <Link to="." search={{}}>
          Show all
        </Link>
      )}
    </form>
  );
}

function Table({ rows, place, access }: { rows: readonly Suppression[]; place: Place; access: WorkspaceAccess }) {
  const { act, busy, problem } = useAct();
  const removable = may(access, 'ENGAGE_SEND');
  const remove = (id: string) =>
    void act(async () => {
      await send(removeSuppressionDocument, { id });
      await suppressionsChanged();
    }, id);
  return (
    <>
      <Problem text={problem} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on a phone, so the keyboard must reach it */}
      <section className={styles.scroll} tabIndex={0} aria-label="Suppressed addresses">
        <table className={styles.table} data-of="text">
          <thead>
            <tr>
              <th scope="col">Address</th>
              <th scope="col">Reason</th>
              <th scope="col">Automation</th>
              <th scope="col">Since</th>
              {removable && <td />}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                <th scope="row">
                  <Address row={row} place={place} />
                </th>
                <td>
                  <span className={styles.state} data-state={row.reason === 'BOUNCED' ? 'failed' : undefined}>
                    {reasonNames[row.reason]}
                  </span>
                </td>
                <td>{row.automation?.name ?? '–'}</td>
                <td>
                  <When at={row.createdAt} />
                </td>
                {removable && (
                  <td>
                    <Confirm
                      meaning={`Has ${row.email || 'its owner'} asked for email again? Remove`}
                      act={() => remove(row.id)}
                      loading={busy === row.id}
                    >
                      Remove
                    </Confirm>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

function Address({ row: { email, appUserId }, place }: { row: Suppression; place: Place }) {
  if (!email)
    return <span title="No user has it any more. Type the whole address above to find it.">Address not stored</span>;
  if (!appUserId) return <Mail address={email} />;
  return (
    <Link to="/apps/$app/$environment/people/person" params={place} search={{ device: appUserId }}>
      <Mail address={email} />
    </Link>
  );
}
