import { Button, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { send } from '../graphql/send';
import { localZone } from '../scope/calendar';
import { Failure } from '../ui/Failure';
import { formatExact, formatTime } from '../ui/format';
import { Waiting } from '../ui/Waiting';
import { actionWords } from './actions';
import { auditLogDocument, type SettingsWorkspace } from './queries';
import styles from './SettingsPage.module.css';

const settingsRoute = getRouteApi('/apps/$app/$environment/settings');

/** What stands for the server among those who changed something. */
const server = 'server';

/** The audit log, newest first. The server filters all rows; more are read on demand. */
export function History({ workspace, members }: { workspace: string; members: SettingsWorkspace['members'] }) {
  const { who, what = '' } = settingsRoute.useSearch();
  const navigate = settingsRoute.useNavigate();
  const [text] = useDebouncedValue(what, 200);
  const filter = {
    userId: who && who !== server ? who : null,
    byServer: who === server,
    text: text || null,
  };
  const answer = useInfiniteQuery({
    queryKey: ['AuditLog', workspace, filter],
    queryFn: ({ pageParam, signal }) => send(auditLogDocument, { workspace, filter, after: pageParam }, signal),
    placeholderData: keepPreviousData,
    initialPageParam: null as string | null,
    getNextPageParam: ({ data }) => {
      const info = data.workspace?.auditLog?.pageInfo;
      return info?.hasNextPage ? info.endCursor : undefined;
    },
  });
  const rows = (answer.data?.pages ?? []).flatMap(({ data }) => data.workspace?.auditLog?.nodes ?? []);
  const total = answer.data?.pages[0]?.data.workspace?.auditLog?.totalCount ?? 0;
  // Who has left is still found by a link; the menu has those who are here.
  const people = (members?.nodes ?? []).map(({ user }) => ({ value: user.id, label: user.name || user.email }));
  return (
    <section aria-label="Audit log" aria-busy={answer.isFetching} className={styles.group}>
      <div className={styles.invite}>
        <Select
          aria-label="Changed by"
          placeholder="By anyone"
          clearable
          value={who ?? null}
          onChange={(who) => void navigate({ search: (before) => ({ ...before, who: who ?? undefined }) })}
          data={[...people, { value: server, label: 'System' }]}
        />
        <TextInput
          aria-label="Action or id"
          placeholder="channel.pin, or an id"
          maxLength={64}
          value={what}
          onChange={(event) => {
            const text = event.currentTarget.value || undefined;
            void navigate({ search: (before) => ({ ...before, what: text }), replace: true });
          }}
        />
      </div>
      {answer.isError && <Failure error={answer.error} retry={() => void answer.refetch()} />}
      {answer.isPending && <Waiting rows={8} />}
      <ul className={`${styles.rows} ${styles.history}`}>
        {rows.map(({ id, createdAt, action, subject, user, detail, apiKeyId, names }) => (
          <li key={id}>
            <b>
              {actionWords[action] ?? action}
              {action in actionWords && <small>{action}</small>}
            </b>
            <span>
              {user ? user.name || user.email : 'System'}
              {apiKeyId && ' by a key'}
            </span>
            <Subject subject={subject} detail={detail} names={names} />
            <time dateTime={createdAt}>
              {formatTime(createdAt, localZone(), { dateStyle: 'medium', timeStyle: 'short' })}
            </time>
          </li>
        ))}
        {!answer.isPending && rows.length === 0 && <li>No matching changes.</li>}
      </ul>
      <p role="status">{`${formatExact(rows.length, 'count')} of ${formatExact(total, 'count')} changes`}</p>
      {answer.hasNextPage && (
        <Button variant="default" loading={answer.isFetchingNextPage} onClick={() => void answer.fetchNextPage()}>
          Show more
        </Button>
      )}
    </section>
  );
}

/** What was changed, by its name today, and how. The ids are in the title, for whoever looks one up. */
function Subject({ subject, detail, names }: { subject: string; detail: unknown; names: readonly Named[] }) {
  const named = (id: string) => names.find((found) => found.id === id)?.name;
  const name = named(subject);
  const words = detailWords(detail, named, name);
  return (
    <span title={[subject, ...names.map(({ id }) => id).filter((id) => id !== subject)].join(', ')}>
      {name ?? <code>{shortened(subject)}</code>}
      {words && ` · ${words}`}
    </span>
  );
}

type Named = { id: string; name: string };

/** A detail that only says the subject's name again is left out. */
function detailWords(detail: unknown, named: (id: string) => string | undefined, subject?: string): string {
  if (typeof detail !== 'object' || detail === null) return '';
  const text = Object.entries(detail)
    .filter(([, value]) => subject === undefined || value !== subject)
    .map(([name, value]) => {
      const words = typeof value === 'string' ? (named(value) ?? value) : JSON.stringify(value);
      return `${name === 'people' ? 'users' : name}: ${shortened(words)}`;
    })
    .join(', ');
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** A value without its end where it is longer than an id: nobody reads a hash. */
const shortened = (value: string) => (value.length > 40 ? `${value.slice(0, 24)}…` : value);
