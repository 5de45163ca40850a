import { Button } from '@mantine/core';
import { useState } from 'react';
import { formatExact } from '../ui/format';
import type { Answer } from './answers';
import styles from './PlaygroundPage.module.css';

/** The answers of a subscription, the newest first. A pause holds the list still; what comes meanwhile is there after it. */
export function Stream({ answers, running }: { answers: readonly Answer[]; running: boolean }) {
  const [held, setHeld] = useState<readonly Answer[]>();
  // Another run begins with none: what was held is of the one before.
  const shown = held && answers.length > 0 ? held : answers;
  const waiting = held && answers[0] ? answers[0].number - (held[0]?.number ?? 0) : 0;
  return (
    <div className={styles.stream}>
      <div className={styles.hold}>
        {(running || held) && (
          <Button
            variant="default"
            aria-pressed={held !== undefined}
            onClick={() => setHeld(held ? undefined : answers)}
          >
            {held ? 'Go on' : 'Pause'}
          </Button>
        )}
        {waiting > 0 && <span>{formatExact(waiting, 'count')} more came since</span>}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <ol className={styles.answers} aria-label="Answers, the newest first" tabIndex={0}>
        {shown.map(({ number, after, text }) => (
          <li key={number}>
            <details open={number === shown[0]!.number}>
              <summary>
                Answer {number}, after {formatExact(after, 'count')} ms
              </summary>
              <pre>{text}</pre>
            </details>
          </li>
        ))}
      </ol>
    </div>
  );
}
