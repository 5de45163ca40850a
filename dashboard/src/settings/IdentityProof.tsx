import { Button, Select } from '@mantine/core';
import { useState } from 'react';
import { may, type WorkspaceAccess } from '../app/session/session';
import type { EnvironmentKind, IdentityProofMode } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { Figure } from '../ui/Figure';
import { Problem } from '../ui/Problem';
import { Secret } from '../ui/Secret';
import { useAct } from '../ui/useAct';
import { When } from '../ui/When';
import {
  retireIdentityDocument,
  rotateIdentityDocument,
  type SettingsApp,
  setProofDocument,
  settingsChanged,
} from './queries';
import styles from './SettingsPage.module.css';

const modes: { value: IdentityProofMode; label: string }[] = [
  { value: 'OFF', label: 'Off: take every ID' },
  { value: 'WATCH', label: 'Watch: take every ID, count those without proof' },
  { value: 'REQUIRED', label: 'Required: ignore IDs without proof' },
];

/** How an app has custom user IDs proved, by environment. */
export function IdentityProof({ app, access }: { app: SettingsApp; access: WorkspaceAccess }) {
  return (
    <>
      <p className={styles.note}>
        Anyone with the publishable key can claim to be any customer. Sign custom user IDs on your server with a secret,
        send the proof from the device, and require it once your app versions send it.
      </p>
      {app.environments.map(({ kind, identityProof }) =>
        identityProof ? (
          <Environment
            key={kind}
            app={app.id}
            kind={kind}
            proof={identityProof}
            editable={may(access, 'APP_SETTINGS')}
          />
        ) : null,
      )}
    </>
  );
}

type Proof = NonNullable<SettingsApp['environments'][number]['identityProof']>;

type Props = { app: string; kind: EnvironmentKind; proof: Proof; editable: boolean };

function Environment({ app, kind, proof, editable }: Props) {
  const { mode, secrets, days } = proof;
  const [secret, setSecret] = useState('');
  const [retiring, setRetiring] = useState(false);
  const { run, busy, problem } = useAct();
  const of = { app, environment: kind };
  const change = <T,>(act: () => Promise<T>, name: string) =>
    run(async () => {
      const done = await act();
      await settingsChanged();
      return done;
    }, name);
  const rotate = async () => {
    const made = await change(() => send(rotateIdentityDocument, of), 'rotate');
    if (made) setSecret(made.data.rotateIdentitySecret.secret);
  };
  const retire = async () => {
    // Proofs that devices still hold stop at once: the first click asks.
    if (!retiring) return setRetiring(true);
    setRetiring(false);
    await change(() => send(retireIdentityDocument, of), 'retire');
  };
  const name = kind === 'LIVE' ? 'Live' : 'Test';
  return (
    <section className={styles.group}>
      <h3>{name}</h3>
      <Select
        label={`Proof of custom user IDs in ${name.toLowerCase()}`}
        w="100%"
        maw={420}
        allowDeselect={false}
        data={modes}
        value={mode}
        disabled={!editable || secrets.length === 0 || busy !== ''}
        onChange={(value) =>
          value && void change(() => send(setProofDocument, { ...of, mode: value as IdentityProofMode }), 'mode')
        }
      />
      {secrets.length > 0 && (
        <ul className={styles.rows}>
          {secrets.map(({ createdAt }, i) => (
            <li key={createdAt}>
              <b>{i === 0 ? 'Secret' : 'Old secret'}</b>
              <span>{i === 0 ? 'proves' : 'proves until it is retired'}</span>
              <When at={createdAt} />
            </li>
          ))}
        </ul>
      )}
      {secret && (
        <Secret name={`${name} identity secret`} value={secret} close={() => setSecret('')}>
          Keep it on your server only, never in an app or a page.
        </Secret>
      )}
      {editable && !secret && (
        <div className={styles.invite}>
          <Button variant="default" loading={busy === 'rotate'} onClick={() => void rotate()}>
            {secrets.length === 0 ? `Create ${name.toLowerCase()} secret` : 'Roll secret'}
          </Button>
          {secrets.length > 1 && (
            <Button
              variant="default"
              color={retiring ? 'red' : undefined}
              loading={busy === 'retire'}
              onClick={() => void retire()}
            >
              {retiring ? 'Proofs by the old secret stop working. Retire?' : 'Retire old secret'}
            </Button>
          )}
        </div>
      )}
      {mode !== 'OFF' && <Counts days={days} />}
      <Problem text={problem} />
    </section>
  );
}

/** What decides whether proof can be required: how many requests came without. */
function Counts({ days }: { days: Proof['days'] }) {
  const sum = (of: (day: Proof['days'][number]) => number) => days.reduce((total, day) => total + of(day), 0);
  const last = days.findLast(({ missing, wrong }) => missing + wrong > 0);
  if (days.length === 0) return <p className={styles.note}>No custom user IDs in the last 30 days.</p>;
  return (
    <dl className={styles.usage} aria-label="Requests with a custom user ID, last 30 days">
      <dt>Proved in the last 30 days</dt>
      <dd>
        <Figure value={sum((day) => day.proved)} kind="count" />
      </dd>
      <dt>Without proof</dt>
      <dd>
        <Figure value={sum((day) => day.missing)} kind="count" />
      </dd>
      <dt>Wrong proof</dt>
      <dd>
        <Figure value={sum((day) => day.wrong)} kind="count" />
      </dd>
      <dt>Last day without proof (UTC)</dt>
      <dd>{last ? last.day : 'none'}</dd>
    </dl>
  );
}
