import { Button, NumberInput, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { send } from '../graphql/send';
import { kindOf, type Place } from '../scope/scope';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import styles from './Automations.module.css';
import { automationsChanged, type Limits, setLimitsDocument } from './automations';

/** How often and when people get messages of all automations together. */
export function LimitsForm({ limits, place, editable }: { limits: Limits; place: Place; editable: boolean }) {
  const [cap, setCap] = useState(limits.cap);
  const [capDays, setCapDays] = useState(limits.capDays);
  const [from, setFrom] = useState(limits.quietFrom ?? '');
  const [until, setUntil] = useState(limits.quietUntil ?? '');
  const { busy, problem, run } = useAct();
  if (!editable) {
    return (
      <p className={styles.note}>
        {limits.cap > 0 ? `At most ${limits.cap} messages a person in ${limits.capDays} days.` : 'No cap on messages.'}{' '}
        {limits.quietFrom ? `Nothing between ${limits.quietFrom} and ${limits.quietUntil}.` : 'No quiet hours.'}
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
    if (await run(() => send(setLimitsDocument, { input }))) await automationsChanged();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <div className={styles.row}>
        <NumberInput
          label="Messages a person, 0: no cap"
          w={220}
          min={0}
          max={1000}
          value={cap}
          onChange={(value) => setCap(Number(value))}
        />
        <NumberInput
          label="In so many days"
          w={140}
          min={1}
          max={365}
          value={capDays}
          onChange={(value) => setCapDays(Number(value))}
        />
        <TextInput
          type="time"
          label="Nothing from"
          w={130}
          value={from}
          onChange={(event) => setFrom(event.target.value)}
        />
        <TextInput type="time" label="Until" w={130} value={until} onChange={(event) => setUntil(event.target.value)} />
        <Button type="submit" variant="default" loading={busy !== ''}>
          Save
        </Button>
      </div>
      <p className={styles.note}>
        Quiet hours are those of the person’s own zone, or {limits.timeZone} where it is not known.
      </p>
      <Problem text={problem} />
    </form>
  );
}
