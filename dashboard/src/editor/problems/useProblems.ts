import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import type { Editor } from '../document/editor';
import { type DraftProblem, problemsQuery } from './queries';

export type Found = {
  list: readonly DraftProblem[];
  state: 'known' | 'looking' | 'failed';
};

const none: readonly DraftProblem[] = [];

/** The problems of the draft, looked for anew when an edit has reached the server, which knows them. */
export function useProblems(flow: string, editor: Editor): Found {
  const { data = none, isPending, isError, refetch } = useQuery(problemsQuery(flow));
  const saved = useSyncExternalStore(
    useCallback((listener) => editor.subscribe('*', listener), [editor]),
    () => editor.saveState === 'saved',
  );
  const first = useRef(true);
  useEffect(() => {
    if (saved && !first.current) void refetch();
    first.current = false;
  }, [saved, refetch]);
  const state = isError ? 'failed' : isPending ? 'looking' : 'known';
  return useMemo(() => ({ list: told(data), state }), [data, state]);
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
