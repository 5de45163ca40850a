import { Button } from '@mantine/core';
import type { Step } from '../document/operation';
import { useEditing } from '../useEditor';
import { isError } from './Mark';
import styles from './Problems.module.css';
import type { DraftProblem } from './queries';

type Props = { problem: DraftProblem; go?: (() => void) | undefined };

/** A problem in a sentence, how it is fixed, and the fix where there is one answer. `go` leads to where it is. */
export function Sentence({ problem, go }: Props) {
  const { editor, canEdit, say } = useEditing();
  const { message, hint } = problem;
  const fix = problem.fix as Step | null;
  const words = (
    <>
      <span className={styles.kind}>{isError(problem) ? 'Error' : 'Warning'}</span> {message}
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
      {hint && <p>{hint}</p>}
      {canEdit && fix && (
        <Button variant="default" size="compact-xs" onClick={() => say(editor.runStep(fix))}>
          {fix.name}
        </Button>
      )}
    </li>
  );
}

/** Tells problems of one place apart: their order may change with every edit. */
export const keyOf = ({ pointer, code, message }: DraftProblem) => `${pointer} ${code} ${message}`;
