import { Button, Select, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { graphql } from '../graphql/graphql';
import { send } from '../graphql/send';
import { localZone } from '../scope/calendar';
import { Failure, Waiting } from '../ui/Card';
import { formatTime } from '../ui/format';
import styles from './SettingsPage.module.css';
import { settingsRoute } from './settings';

const document = graphql<'AuditLog'>(`
  query AuditLog($workspace: ID!, $after: String) {
    workspace(id: $workspace) { auditLog(first: 100, after: $after) {
      totalCount nodes { id createdAt action subject detail user { id name email } apiKeyId }
      pageInfo { hasNextPage endCursor }
    } }
  }`);

/** Who changed what, newest first. The filters look at the rows that were read; more are read on demand. */
export function History({ workspace }: { workspace: string }) {
  const { who, what = '' } = settingsRoute.useSearch();
  const navigate = useNavigate({ from: settingsRoute.fullPath });
  const answer = useInfiniteQuery({
    queryKey: ['AuditLog', workspace],
    queryFn: ({ pageParam, signal }) => send(document, { workspace, after: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ data }) => {
      const info = data.workspace?.auditLog?.pageInfo;
      return info?.hasNextPage ? info.endCursor : undefined;
    },
  });
  const rows = (answer.data?.pages ?? []).flatMap(({ data }) => data.workspace?.auditLog?.nodes ?? []);
  const people = new Map(rows.flatMap(({ user }) => (user ? [[user.id, user.name || user.email] as const] : [])));
  const shown = rows.filter(
    ({ action, subject, user }) =>
      (!who || (user?.id ?? 'server') === who) && (action.includes(what) || subject.includes(what)),
  );
  return (
    <section aria-label="Who changed what" aria-busy={answer.isFetching} className={styles.group}>
      <div className={styles.invite}>
        <Select
          aria-label="Changed by"
          placeholder="By anybody"
          clearable
          value={who ?? null}
          onChange={(who) => void navigate({ search: (before) => ({ ...before, who: who ?? undefined }) })}
          data={[...[...people].map(([value, label]) => ({ value, label })), { value: 'server', label: 'the server' }]}
        />
        <TextInput
          aria-label="What was changed"
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
      <ul className={styles.rows}>
        {shown.map(({ id, createdAt, action, subject, user, detail, apiKeyId }) => (
          <li key={id}>
            <b>{action}</b>
            <span>
              {user ? user.name || user.email : 'the server'}
              {apiKeyId && ' by a key'}
            </span>
            <code title={subject}>{detailWords(detail)}</code>
            <time dateTime={createdAt}>
              {formatTime(createdAt, localZone(), { dateStyle: 'medium', timeStyle: 'short' })}
            </time>
          </li>
        ))}
        {!answer.isPending && shown.length === 0 && <li>None of the rows that were read.</li>}
      </ul>
      {answer.hasNextPage && (
        <Button variant="default" loading={answer.isFetchingNextPage} onClick={() => void answer.fetchNextPage()}>
          Read more rows
        </Button>
      )}
    </section>
  );
}

function detailWords(detail: unknown): string {
  if (typeof detail !== 'object' || detail === null) return '';
  const text = Object.entries(detail)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
