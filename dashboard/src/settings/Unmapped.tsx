import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type DataOf, graphql } from '../graphql/graphql';
import { query, queryClient } from '../graphql/query';
import type { EnvironmentKind } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { kindOf } from '../scope/scope';
import { Card } from '../ui/Card';
import { formatAgo, formatExact } from '../ui/format';
import { useAct } from '../ui/useAct';
import { providers } from './RevenueSources';
import styles from './SettingsPage.module.css';
import { settingsRoute } from './settings';

const document = graphql<'UnmappedRevenue'>(`
  query UnmappedRevenue($app: ID!, $environment: EnvironmentKind!) {
    app(id: $app) { unmappedRevenue(environment: $environment, first: 50) {
      nodes { provider subject productId store rows amount unconverted lastAt personIds } after
    } }
  }`);

const mapDocument = graphql<'MapRevenue'>(`
  mutation MapRevenue($input: MapRevenueInput!) { mapRevenue(input: $input) }`);

type Row = NonNullable<DataOf<'UnmappedRevenue'>['app']>['unmappedRevenue']['nodes'][number];

/** Money that has no person, and a way to say whose it is. */
export function Unmapped() {
  const { app, environment } = settingsRoute.useParams();
  const kind = kindOf(environment);
  const answer = useQuery(query(document, [app, kind], () => ({ app, environment: kind })));
  return (
    <Card
      title="Money without a person"
      answer={answer}
      part={({ app }) => app?.unmappedRevenue}
      path="app.unmappedRevenue"
      waiting={{ rows: 4 }}
    >
      {({ nodes, after }) =>
        nodes.length === 0 ? (
          <p className={styles.note}>All money of this environment has its person.</p>
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

function Mapping({ row, app, kind }: { row: Row; app: string; kind: EnvironmentKind }) {
  const { provider, subject, productId, rows, amount, unconverted, lastAt, personIds } = row;
  const [person, setPerson] = useState<string>();
  const { act, busy, problem } = useAct();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await act(async () => {
      await send(mapDocument, { input: { appId: app, environment: kind, provider, subject, appUserId: person } });
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
        {unconverted > 0 && `, ${unconverted} without a rate`}, {formatAgo(lastAt)}
      </span>
      {person === undefined ? (
        <Button variant="subtle" onClick={() => setPerson('')}>
          Whose is it?
        </Button>
      ) : (
        <form className={styles.invite} onSubmit={submit}>
          <TextInput
            size="xs"
            aria-label={`App user id whose money ${subject} is`}
            placeholder="App user id"
            required
            maxLength={256}
            value={person}
            error={problem}
            onChange={(event) => setPerson(event.currentTarget.value)}
          />
          <Button type="submit" loading={busy !== ''}>
            It is theirs
          </Button>
        </form>
      )}
    </li>
  );
}
