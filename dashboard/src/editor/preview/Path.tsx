import { useEffect, useMemo, useState } from 'react';
import type { Subject } from '../../sentences/operators';
import { formatSeconds } from '../../ui/format';
import { useEditing } from '../useEditor';
import styles from './Preview.module.css';
import type { Told } from './port';
import { trailOf } from './trail';
import { reasonWords, stepName } from './words';

/** The steps that a run came to, why, and how long it stayed. */
export function Path({ told, subjects }: { told: Told; subjects: readonly Subject[] }) {
  const { editor } = useEditing();
  const trail = useMemo(() => trailOf(told.events), [told.events]);
  const now = useNow(told.status === 'running');
  return (
    <ol className={styles.list}>
      {trail.map(({ key, step, because, from, to }) => (
        <li key={key} aria-current={to === undefined ? 'step' : undefined}>
          {because.map((reason) => {
            const words = reasonWords(editor.document, reason, subjects);
            return (
              <p key={words} className={styles.because}>
                {words}
              </p>
            );
          })}
          <p className={styles.row}>
            <b>{stepName(editor.document, step)}</b>
            {step !== null && <span>{formatSeconds(Math.max(0, ((to ?? now) - from) / 1000))}</span>}
          </p>
        </li>
      ))}
    </ol>
  );
}

/** The time, each second while it is asked for. */
function useNow(asked: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!asked) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [asked]);
  return now;
}
