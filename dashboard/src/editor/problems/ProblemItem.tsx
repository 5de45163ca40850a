import type { ReactNode } from 'react';
import { isError } from './Mark';
import styles from './Problems.module.css';
import type { DraftProblem } from './queries';

type Props = { problem: DraftProblem; go?: (() => void) | undefined; children?: ReactNode };

/** A problem in a sentence, and how it is fixed. `go` leads to where it is; `children` are what can be done about it. */
export function ProblemItem({ problem, go, children }: Props) {
  const words = (
    <>
      <span className={styles.kind}>{isError(problem) ? 'Error' : 'Warning'}</span> {problem.message}
    </>
  );
  return (
    <li data-error={isError(problem) || undefined}>
      {go ? (
        <button type="button" className={styles.go} onClick={go}>
          {words}
        </button>
      ) : (
        <p className={styles.words}>{words}</p>
      )}
      {problem.hint && <p>{problem.hint}</p>}
      {children}
    </li>
  );
}
