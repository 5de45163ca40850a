import type { ReactNode } from 'react';
import { formatAgo } from '../ui/format';
import { Mail } from './Mail';
import styles from './People.module.css';
import type { Person } from './queries';

const consents = { GRANTED: 'granted', DENIED: 'denied', UNKNOWN: 'never asked' } as const;

type Props = { person: Person; facts: readonly (readonly [string, ReactNode])[] };

/** What the app said of a person: texts that it left out are not shown. */
export function Identity({ person, facts }: Props) {
  const said = [
    ['User ID', person.customUserId],
    ['Email', person.email && <Mail key="mail" address={person.email} />],
    ['Phone', person.phone],
    ['Locale', person.locale],
    ['Time zone', person.timezone],
    ...facts,
  ] as const;
  const attributes = Object.entries((person.attributes ?? {}) as Record<string, unknown>);
  return (
    <>
      <Facts rows={said} />
      <h3>Attributes</h3>
      {attributes.length > 0 ? (
        <Facts
          rows={attributes.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])}
        />
      ) : (
        <p className={styles.none}>No attributes.</p>
      )}
      <h3>Devices</h3>
      <ul className={styles.devices}>
        {person.devices.map(({ appUserId, linkedAt }) => (
          <li key={appUserId}>
            <code>{appUserId}</code> <small>{formatAgo(linkedAt)}</small>
          </li>
        ))}
      </ul>
      <h3>Consents</h3>
      <Facts
        rows={[
          ['Marketing', consents[person.marketingConsent]],
          ...person.topicConsents.map(({ topic, consent }) => [topic, consents[consent]] as const),
        ]}
      />
      {person.consentLog.length > 0 && (
        <details>
          <summary>History</summary>
          <Facts
            rows={person.consentLog.map(({ at, topic, consent }) => [
              new Date(at).toLocaleString(),
              `${topic ?? 'Marketing'}: ${consents[consent]}`,
            ])}
          />
        </details>
      )}
    </>
  );
}

function Facts({ rows }: { rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={styles.facts}>
      {rows
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
