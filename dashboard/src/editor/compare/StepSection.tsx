import { useMemo, useState } from 'react';
import { Screen } from '../../flows/versions/Screens';
import { KindIcon } from '../KindIcon';
import styles from './Compare.module.css';
import type { Change, StepChanges } from './changes';

/** How many changes of a step are said before more are asked for. */
const atFirst = 12;

export type Pictures = { before: unknown; after: unknown; names: readonly [string, string] };

const badges: Record<string, string> = { added: 'Added', removed: 'Removed' };

/** What is different in one screen, decision or surface, or in the flow as a whole. */
export function StepSection({ changes, pictures }: { changes: StepChanges; pictures?: Pictures }) {
  const { name, kind, is, step } = changes;
  const [all, setAll] = useState(false);
  const shown = all ? changes.changes : changes.changes.slice(0, atFirst);
  const left = changes.changes.length - shown.length;
  // That a step came or went says its badge.
  const lines = shown.filter(({ kind, nodes }) => !(badges[kind] && nodes[0] === step));
  return (
    <li className={styles.step}>
      <h3>
        <KindIcon kind={kind} />
        {name}
        {badges[is] && <small data-is={is}>{badges[is]}</small>}
      </h3>
      <div className={styles.sides}>
        <ul className={styles.words}>
          {lines.map((change) => (
            <li key={keyOf(change)} data-kind={change.kind}>
              {change.subject !== '' && <b>{`${change.subject} `}</b>}
              {change.words}
            </li>
          ))}
          {left > 0 && (
            <li>
              <button type="button" className={styles.more} onClick={() => setAll(true)}>
                Show {left} more
              </button>
            </li>
          )}
        </ul>
        {pictures && step !== null && isSeen(changes) && (
          <Pair name={name} is={is} screen={step} marks={marksOf(changes.changes)} pictures={pictures} />
        )}
      </div>
    </li>
  );
}

/** Whether a screen looks different: its name and where it leads don't show. */
const isSeen = ({ kind, is, changes }: StepChanges) =>
  kind === 'screen' &&
  (is !== 'changed' || changes.some(({ layer, path }) => layer !== null || path?.[0]?.startsWith('containerStyle')));

const keyOf = ({ kind, nodes, path, words }: Change) => `${kind} ${nodes[0]} ${path?.join('/')} ${words}`;

/** The layers that changes are about. */
const marksOf = (changes: readonly Change[]) =>
  changes.flatMap(({ layer, kind, nodes }) => (layer === null ? [] : kind === 'moved' ? [layer, ...nodes] : [layer]));

type PairProps = { name: string; is: StepChanges['is']; screen: string; marks?: string[]; pictures: Pictures };

/** A screen before and after, with what was changed outlined. */
export function Pair({ name, is, screen, marks: given, pictures: { before, after, names } }: PairProps) {
  const key = given?.join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list of the same layers draws nothing anew
  const marks = useMemo(() => given ?? [], [key]);
  const show = (manifest: unknown, label: string, missing: boolean) => (
    <figure>
      {missing ? (
        <p>{is === 'added' ? 'Not there yet' : 'Removed'}</p>
      ) : (
        <Screen manifest={manifest} id={screen} name={`${name} in ${label}`} width={160} marks={marks} />
      )}
      <figcaption>{label}</figcaption>
    </figure>
  );
  return (
    <div className={styles.pair}>
      {show(before, names[0], is === 'added')}
      {show(after, names[1], is === 'removed')}
    </div>
  );
}
