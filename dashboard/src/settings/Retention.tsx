import { Button, NumberInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { may, type WorkspaceAccess } from '../app/session/session';
import type { EventKind } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { useAct } from '../ui/useAct';
import { useDraft } from '../ui/useDraft';
import { type SettingsApp, setRetentionDocument, settingsChanged } from './queries';
import styles from './SettingsPage.module.css';

const kinds: { kind: EventKind; name: string }[] = [
  { kind: 'PRODUCT', name: 'Web and product events' },
  { kind: 'FLOW', name: 'Flow runs' },
  { kind: 'TRACK', name: 'Track events' },
];

/** For how many days each kind of event is kept, in both environments. */
export function Retention({ app, access }: { app: SettingsApp; access: WorkspaceAccess }) {
  const editable = may(access, 'APP_SETTINGS');
  return (
    <>
      <p className={styles.note}>
        Older data is deleted for good within the hour. Leave empty to use the server’s default.
      </p>
      {kinds.map(({ kind, name }) => {
        const days = app.retention.find((row) => row.kind === kind)?.days;
        return editable ? (
          <Days key={kind} app={app.id} kind={kind} name={name} days={days} />
        ) : (
          <p key={kind} className={styles.note}>
            <b>{name}</b>: {days === undefined ? 'server default' : `${days} days`}
          </p>
        );
      })}
    </>
  );
}

type DaysProps = { app: string; kind: EventKind; name: string; days: number | undefined };

function Days({ app, kind, name, days }: DaysProps) {
  const { draft, changed, type, sent } = useDraft<{ days: number | string }>({ days: days ?? '' });
  const { act, busy, problem } = useAct();
  const next = draft.days === '' ? undefined : Number(draft.days);
  const shorter = next !== undefined && (days === undefined || next < days);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await act(async () => {
      await send(setRetentionDocument, { input: { appId: app, kind, days: next ?? null } });
      await settingsChanged();
      sent(draft);
    });
  };
  return (
    <form className={styles.invite} onSubmit={submit}>
      <NumberInput
        label={name}
        suffix=" days"
        min={1}
        max={3653}
        allowDecimal={false}
        w={220}
        placeholder="server default"
        value={draft.days}
        onChange={(days) => type({ days })}
        error={problem}
      />
      {changed && (
        <Button type="submit" mt={24} color={shorter ? 'red' : undefined} loading={busy !== ''}>
          {shorter ? `Delete data older than ${next} days` : 'Keep'}
        </Button>
      )}
    </form>
  );
}
