import { useMemo } from 'react';
import { screensOf } from '../preview/manifest';
import { type Change, changesOf } from './changes';
import { Screen } from './Screens';
import styles from './Versions.module.css';

/** How many changes are shown at most: two flows that share nothing have thousands. */
const most = 300;

const words: Record<Change['kind'], string> = {
  added: 'added',
  removed: 'removed',
  changed: 'changed',
  moved: 'in another order',
};

/** What is different between two manifests: the screens beside each other, then value by value. */
export function Compare({ before, after }: { before: unknown; after: unknown }) {
  const changes = useMemo(
    // The number of a version and its flow's id are not what somebody changed.
    () => changesOf(before, after).filter(({ path }) => path !== '/version' && path !== '/flowId'),
    [before, after],
  );
  const changed = new Set(changes.flatMap(({ path }) => /^\/screens\/([^/]+)/.exec(path)?.[1] ?? []));
  const [screens, screensAfter] = [screensOf(before), screensOf(after)];
  const shown = [...screensAfter, ...screens.filter(({ id }) => !screensAfter.some((screen) => screen.id === id))];
  if (changes.length === 0) return <p className={styles.none}>No differences.</p>;
  return (
    <>
      <ul className={styles.pairs}>
        {shown
          .filter(({ id }) => changed.has(id))
          .map(({ id, name }) => (
            <li key={id}>
              <h3>{name}</h3>
              <div>
                {screens.some((screen) => screen.id === id) ? (
                  <Screen manifest={before} id={id} name={`${name} before`} />
                ) : (
                  <p>missing</p>
                )}
                {screensAfter.some((screen) => screen.id === id) ? (
                  <Screen manifest={after} id={id} name={`${name} after`} />
                ) : (
                  <p>removed</p>
                )}
              </div>
            </li>
          ))}
      </ul>
      <ul className={styles.changes} aria-label="Changes">
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
