import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { useEditorValue } from '../useEditor';
import { type DraftProblem, problemsQuery } from './queries';
import { ProblemsContext } from './useProblems';

const none: readonly DraftProblem[] = [];

type Props = { flow: string; children: ReactNode };

/** Looks for the problems of the draft anew when an edit has reached the server, which knows them. */
export function WithProblems({ flow, children }: Props) {
  const { data = none, isPending, isError, refetch } = useQuery(problemsQuery(flow));
  const saved = useEditorValue(({ saveState }) => saveState === 'saved');
  const first = useRef(true);
  useEffect(() => {
    if (saved && !first.current) void refetch();
    first.current = false;
  }, [saved, refetch]);
  const state = isError ? 'failed' : isPending ? 'looking' : 'known';
  const found = useMemo(() => ({ list: told(data), state }) as const, [data, state]);
  return <ProblemsContext value={found}>{children}</ProblemsContext>;
}

/** Each sentence of a place once: cases and languages of one text say the same. */
function told(problems: readonly DraftProblem[]): readonly DraftProblem[] {
  const first = new Map<string, DraftProblem>();
  for (const one of problems) {
    const key = JSON.stringify([one.stepId, one.layerId, one.message]);
    if (!first.has(key)) first.set(key, one);
  }
  return [...first.values()];
}
