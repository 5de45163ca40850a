import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Place } from '../scope/scope';
import { formatExact, formatSeconds } from '../ui/format';
import styles from './People.module.css';
import type { Person } from './queries';

type Entry = Person['timeline']['nodes'][number];
type Flow = { id: string; name: string };

const kinds: Record<Entry['kind'], string> = {
  SESSION: 'Session',
  HIT: 'Event',
  RUN: 'Run',
  PURCHASE: 'Purchase',
  AUTOMATION: 'Automation',
  WEBHOOK: 'Webhook',
  EMAIL: 'Email',
};

type Props = {
  place: Place;
  entries: readonly Entry[];
  total: number;
  flows: readonly Flow[];
  more: (rows: '200' | '1000') => void;
};

/** All that happened to a person, the latest first, by day. A run leads to where the flow was left. */
export function PersonTimeline({ place, entries, total, flows, more }: Props) {
  const days = byDay(entries);
  const next = entries.length < 200 ? ('200' as const) : ('1000' as const);
  return (
    <>
      {[...days].map(([day, entries]) => (
        <section key={day}>
          <h3>{day}</h3>
          <ol className={styles.timeline}>
            {entries.map((entry) => (
              <li key={`${entry.kind} ${entry.id} ${entry.at}`} data-kind={entry.kind}>
                <time dateTime={entry.at}>{new Date(entry.at).toLocaleTimeString()}</time>
                <span>{kinds[entry.kind]}</span>
                <div>
                  <What entry={entry} place={place} flows={flows} />
                </div>
              </li>
            ))}
          </ol>
        </section>
      ))}
      {entries.length === 0 && <p className={styles.none}>No events stored.</p>}
      {entries.length < Math.min(total, 1000) && (
        <Button variant="default" onClick={() => more(next)}>
          Show more of {formatExact(total, 'count')}
        </Button>
      )}
    </>
  );
}

function byDay(entries: readonly Entry[]): Map<string, Entry[]> {
  const days = new Map<string, Entry[]>();
  for (const entry of entries) {
    const day = new Date(entry.at).toLocaleDateString(undefined, { dateStyle: 'full' });
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  return days;
}

function What({ entry, place, flows }: { entry: Entry; place: Place; flows: readonly Flow[] }) {
  const { kind, at, endedAt, name, detail, usd, flowId, id } = entry;
  const took = endedAt ? formatSeconds((Date.parse(endedAt) - Date.parse(at)) / 1000) : undefined;
  switch (kind) {
    case 'RUN': {
      const flow = flows.find((flow) => flow.id === flowId);
      return (
        <>
          <Link to="/apps/$app/$environment/flows/$flow" params={{ ...place, flow: flowId ?? '' }} search={{ run: id }}>
            {flow?.name ?? 'A flow'}
          </Link>{' '}
          <small>
            {detail}
            {took && ` after ${took}`}
          </small>
        </>
      );
    }
    case 'PURCHASE':
      return (
        <>
          <b>{usd === null ? 'an amount without a rate' : formatExact(usd, 'money')}</b>{' '}
          <small>
            <bdi>{name}</bdi> <bdi>{detail}</bdi>
          </small>
        </>
      );
    case 'HIT':
      return (
        <>
          <b>
            <bdi>{name}</bdi>
          </b>{' '}
          <small>
            <bdi>{detail}</bdi>
          </small>
        </>
      );
    default:
      return (
        <>
          <b>
            <bdi>{name || detail}</bdi>
          </b>{' '}
          <small>
            <bdi>{name && detail}</bdi> {took}
          </small>
        </>
      );
  }
}
