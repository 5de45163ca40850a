import { useMemo } from 'react';
import styles from './Compare.module.css';
import { changesOf, type JsonChange } from './jsonChanges';

/** How many changes are shown at most: two flows that share nothing have thousands. */
const most = 300;

const words: Record<JsonChange['kind'], string> = {
  added: 'added',
  removed: 'removed',
  changed: 'changed',
  moved: 'in another order',
};

/** What is different between two manifests, value by value. */
export function JsonChanges({ before, after }: { before: unknown; after: unknown }) {
  const changes = useMemo(
    // The number of a version and its flow's id are not what somebody changed.
    () => changesOf(before, after).filter(({ path }) => path !== '/version' && path !== '/flowId'),
    [before, after],
  );
  return (
    <>
      <ul className={styles.json} aria-label="Changes as JSON">
        {changes.slice(0, most).map(({ path, kind, before, after }) => (
          <li key={path + kind} data-kind={kind}>
            <code>{path || '/'}</code>
            <span>{words[kind]}</span>
            {before !== undefined && <del>{short(before)}</del>}
            {after !== undefined && <ins>{short(after)}</ins>}
          </li>
        ))}
      </ul>
      {changes.length > most && <p className={styles.none}>And {changes.length - most} more.</p>}
    </>
  );
}

function short(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
