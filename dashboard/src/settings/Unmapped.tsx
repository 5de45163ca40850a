import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { query, queryClient } from '../graphql/query';
import type { EnvironmentKind } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { kindOf } from '../scope/scope';
import { Card } from '../ui/Card';
import { formatAgo, formatExact } from '../ui/format';
import { useAct } from '../ui/useAct';
import { mapRevenueDocument, type UnmappedRow, unmappedDocument } from './queries';
import { providers } from './RevenueSources';
import styles from './SettingsPage.module.css';

const settingsRoute = getRouteApi('/apps/$app/$environment/settings');

/** Money that has no person, and a way to say whose it is. */
export function Unmapped() {
  const { app, environment } = settingsRoute.useParams();
  const kind = kindOf(environment);
  const answer = useQuery(query(unmappedDocument, [app, kind], () => ({ app, environment: kind })));
  return (
    <Card
      title="Unmatched revenue"
      answer={answer}
      part={({ app }) => app?.unmappedRevenue}
      path="app.unmappedRevenue"
      waiting={{ rows: 4 }}
    >
      {({ nodes, after }) =>
        nodes.length === 0 ? (
          <p className={styles.note}>All revenue in this environment is matched to a user.</p>
        ) : (
          <>
            <ul className={styles.rows}>
              {nodes.map((row) => (
                <Mapping key={`${row.provider} ${row.subject}`} row={row} app={app} kind={kind} />
              ))}
            </ul>
            {after && <p className={styles.note}>The newest 50 are shown.</p>}
          </>
        )
      }
    </Card>
  );
}

function Mapping({ row, app, kind }: { row: UnmappedRow; app: string; kind: EnvironmentKind }) {
  const { provider, subject, productId, rows, amount, unconverted, lastAt, personIds } = row;
  const [person, setPerson] = useState<string>();
  const { act, busy, problem } = useAct();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await act(async () => {
      await send(mapRevenueDocument, {
        input: { appId: app, environment: kind, provider, subject, appUserId: person },
      });
      await queryClient.invalidateQueries({ queryKey: ['UnmappedRevenue'] });
    });
  };
  return (
    <li>
      <b>{formatExact(amount, 'money')}</b>
      <span>
        {productId || subject} · {providers[provider] ?? provider}
      </span>
      <span title={personIds.join(', ')}>
        {rows === 1 ? '1 charge' : `${rows} charges`}
        {unconverted > 0 && `, ${unconverted} without an exchange rate`}, {formatAgo(lastAt)}
      </span>
      {person === undefined ? (
        <Button variant="subtle" onClick={() => setPerson('')}>
          Match to user
        </Button>
      ) : (
        <form className={styles.invite} onSubmit={submit}>
          <TextInput
            size="xs"
            aria-label={`User id of ${subject}`}
            placeholder="User id"
            required
            maxLength={256}
            value={person}
            error={problem}
            onChange={(event) => setPerson(event.currentTarget.value)}
          />
          <Button type="submit" loading={busy !== ''}>
            Match
          </Button>
        </form>
      )}
    </li>
  );
}
