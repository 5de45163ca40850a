import { Button } from '@mantine/core';
import type { Step } from '../document/operation';
import { useEditing } from '../useEditor';
import { ProblemItem } from './ProblemItem';
import type { DraftProblem } from './queries';

type Props = { problem: DraftProblem; go?: (() => void) | undefined };

/** A problem with, where there is one answer, the fix of it. `go` leads to where it is. */
export function Sentence({ problem, go }: Props) {
  const { editor, canEdit, say } = useEditing();
  const fix = problem.fix as Step | null;
  return (
    <ProblemItem problem={problem} go={go}>
      {canEdit && fix && (
        <Button
          variant="default"
          size="compact-xs"
          onClick={() => say(fix.operations.length > 1 ? editor.runAll(fix.name, fix.operations) : editor.runStep(fix))}
        >
          {fix.name}
        </Button>
      )}
    </ProblemItem>
  );
}
