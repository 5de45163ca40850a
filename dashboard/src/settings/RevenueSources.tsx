import { Button, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { query } from '../graphql/query';
import type { RevenueProvider } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { Card } from '../ui/Card';
import { Confirm } from '../ui/Confirm';
import { CopyText } from '../ui/CopyText';
import { formatAgo } from '../ui/format';
import { Secret } from '../ui/Secret';
import { useAct } from '../ui/useAct';
import {
  addRevenueSecretDocument,
  archiveRevenueSourceDocument,
  createRevenueSourceDocument,
  type RevenueSource,
  removeRevenueSecretDocument,
  revenueSourcesChanged,
  revenueSourcesDocument,
  type TestedSource,
  testRevenueSourceDocument,
} from './queries';
import styles from './SettingsPage.module.css';

export const providers: Partial<Record<RevenueProvider, string>> = {
  REVENUECAT: 'RevenueCat',
  SUPERWALL: 'Superwall',
  STRIPE: 'Stripe',
};

/** The billing providers that deliver what they know of the app's money. */
export function RevenueSources({ app }: { app: string }) {
  const answer = useQuery(query(revenueSourcesDocument, app, () => ({ app })));
  const [secret, setSecret] = useState<string>();
  return (
    <Card
      title="Billing connections"
      answer={answer}
      part={({ app }) => app?.revenueSources}
      path="app.revenueSources"
      waiting={{ rows: 3 }}
    >
      {(sources) => (
        <>
          {sources
            .filter(({ archivedAt }) => archivedAt === null)
            .map((source) => (
              <SourceRow key={source.id} source={source} show={setSecret} />
            ))}
          {sources.length === 0 && (
            <p className={styles.note}>
              Without a connection the dashboard only knows the revenue that the SDK reports. Connecting takes a minute.
            </p>
          )}
          {secret && (
            <Secret name="Value of the Authorization header" value={secret} close={() => setSecret(undefined)} />
          )}
          <Connect app={app} show={setSecret} />
        </>
      )}
    </Card>
  );
}

type Shows = { show: (secret: string | undefined) => void };

function SourceRow({ source, show }: { source: RevenueSource } & Shows) {
  const { id, provider, name, path, secrets, lastDeliveryAt, lastError, lastErrorAt } = source;
  const [adding, setAdding] = useState<string>();
  const [tested, setTested] = useState<TestedSource>();
  const { act, busy, problem } = useAct();
  const own = provider === 'REVENUECAT';
  const add = async (secret: string | undefined) => {
    const done = await act(async () => {
      const { data } = await send(addRevenueSecretDocument, { id, secret });
      show(data.addRevenueSecret.secret ?? undefined);
      await revenueSourcesChanged();
    }, 'add');
    if (done) setAdding(undefined);
  };
  return (
    <section className={styles.group} aria-label={name}>
      <h3>
        {name} · {providers[provider] ?? provider}
      </h3>
      <p className={styles.note}>
        {lastDeliveryAt ? `Last delivery ${formatAgo(lastDeliveryAt)}. ` : 'No deliveries yet. '}
        Webhook URL for the provider:
      </p>
      <CopyText text={location.origin + path} />
      {lastError && (
        <p className={styles.problem}>
          Refused {lastErrorAt && formatAgo(lastErrorAt)}: {lastError}
        </p>
      )}
      <ul className={styles.rows}>
        {secrets.map((secret) => (
          <li key={secret.id}>
            <b>Secret</b>
            <code>…{secret.lastFour}</code>
            <span>since {formatAgo(secret.createdAt)}</span>
            <Confirm
              meaning="Deliveries signed with it are refused. Remove?"
              loading={busy === secret.id}
              act={() =>
                void act(async () => {
                  await send(removeRevenueSecretDocument, { id, secret: secret.id });
                  await revenueSourcesChanged();
                }, secret.id)
              }
            >
              Remove
            </Confirm>
          </li>
        ))}
        {secrets.length === 0 && <li>No secret yet: deliveries are refused until there is one.</li>}
      </ul>
      <div className={styles.invite}>
        {own ? (
          <Button variant="default" loading={busy === 'add'} onClick={() => void add(undefined)}>
            Generate new secret
          </Button>
        ) : adding === undefined ? (
          <Button variant="default" onClick={() => setAdding('')}>
            Add provider’s secret
          </Button>
        ) : (
          <form
            className={styles.invite}
            onSubmit={(event) => {
              event.preventDefault();
              void add(adding);
            }}
          >
            <TextInput
              type="password"
              autoComplete="off"
              aria-label="Signing secret that the provider shows"
              placeholder="whsec_…"
              required
              minLength={16}
              maxLength={256}
              value={adding}
              onChange={(event) => setAdding(event.currentTarget.value)}
            />
            <Button type="submit" loading={busy === 'add'}>
              Add secret
            </Button>
          </form>
        )}
        {secrets.length > 0 && (
          <Button
            variant="default"
            loading={busy === 'test'}
            onClick={() =>
              void act(async () => {
                setTested(undefined);
                const { data } = await send(testRevenueSourceDocument, { id });
                setTested(data.testRevenueSource);
                await revenueSourcesChanged();
              }, 'test')
            }
          >
            Send a test event
          </Button>
        )}
        <Confirm
          meaning="Its deliveries are refused from then on. Disconnect?"
          loading={busy === 'end'}
          act={() =>
            void act(async () => {
              await send(archiveRevenueSourceDocument, { id });
              await revenueSourcesChanged();
            }, 'end')
          }
        >
          Disconnect
        </Confirm>
      </div>
      {tested && (
        <p className={tested.state === 'HANDLED' ? styles.note : styles.problem} role="status">
          {outcomeOf(tested)}
        </p>
      )}
      <p className={styles.problem} role="alert">
        {problem}
      </p>
    </section>
  );
}

/** What became of a test event. */
function outcomeOf({ accepted, status, state, reason, milliseconds }: TestedSource): string {
  const took = `${Math.max(1, Math.round(milliseconds)).toLocaleString()} ms`;
  if (!accepted) return `Refused with ${status} after ${took}.`;
  if (state === 'HANDLED')
    return `Accepted and booked in ${took}: one US dollar in the test environment, without a user.`;
  return `Accepted in ${took}, not booked (${state?.toLowerCase()}): ${reason}`;
}

function Connect({ app, show }: { app: string } & Shows) {
  const [provider, setProvider] = useState<RevenueProvider>('REVENUECAT');
  const [name, setName] = useState('');
  const { act, busy, problem } = useAct();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await act(async () => {
      const { data } = await send(createRevenueSourceDocument, { app, provider, name });
      show(data.createRevenueSource.secret ?? undefined);
      setName('');
      await revenueSourcesChanged();
    });
  };
  return (
    <form className={styles.invite} onSubmit={submit}>
      <Select
        aria-label="Provider"
        w={150}
        allowDeselect={false}
        value={provider}
        onChange={(value) => setProvider(value as RevenueProvider)}
        data={Object.entries(providers).map(([value, label]) => ({ value, label }))}
      />
      <TextInput
        aria-label="Name of the connection"
        placeholder="Name, such as Production"
        required
        maxLength={80}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" variant="default" loading={busy !== ''}>
        Connect
      </Button>
      <p className={styles.problem} role="alert">
        {problem}
      </p>
    </form>
  );
}
