import { Button, NumberInput, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { send } from '../graphql/send';
import { kindOf, type Place } from '../scope/scope';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { useDraft } from '../ui/useDraft';
import styles from './Automations.module.css';
import { automationsChanged, type Limits, setLimitsDocument } from './queries';

/** How often and when people get messages of all automations together. */
export function LimitsForm({ limits, place, editable }: { limits: Limits; place: Place; editable: boolean }) {
  const { draft, type, sent } = useDraft({
    cap: limits.cap,
    capDays: limits.capDays,
    from: limits.quietFrom ?? '',
    until: limits.quietUntil ?? '',
  });
  const { cap, capDays, from, until } = draft;
  const { busy, problem, run } = useAct();
  if (!editable) {
    return (
      <p className={styles.note}>
        {limits.cap > 0 ? `At most ${limits.cap} messages per user in ${limits.capDays} days.` : 'No cap on messages.'}{' '}
        {limits.quietFrom ? `Quiet between ${limits.quietFrom} and ${limits.quietUntil}.` : 'No quiet hours.'}
      </p>
    );
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = {
      appId: place.app,
      environment: kindOf(place.environment),
      cap,
      capDays,
      quietFrom: from || null,
      quietUntil: until || null,
      timeZone: limits.timeZone,
    };
    if (!(await run(() => send(setLimitsDocument, { input })))) return;
    await automationsChanged();
    sent(draft);
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <div className={styles.limits}>
        <NumberInput
          label="Messages per user"
          placeholder="No cap"
          min={0}
          max={1000}
          value={cap || ''}
          onChange={(value) => type({ cap: Number(value) })}
        />
        <NumberInput
          label="Within"
          suffix={capDays === 1 ? ' day' : ' days'}
          min={1}
          max={365}
          value={capDays}
          onChange={(value) => type({ capDays: Number(value) })}
        />
        <TextInput
          type="time"
          label="Quiet from"
          value={from}
          onChange={(event) => type({ from: event.target.value })}
        />
        <TextInput type="time" label="Until" value={until} onChange={(event) => type({ until: event.target.value })} />
        <Button type="submit" variant="default" loading={busy !== ''}>
          Save
        </Button>
      </div>
      <p className={styles.note}>Quiet hours use the user’s own time zone, or {limits.timeZone} where it is unknown.</p>
      <Problem text={problem} />
    </form>
  );
}
