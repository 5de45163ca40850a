import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { useEditorValue } from '../useEditor';
import { type DraftProblem, problemsQuery } from './queries';
import { told } from './told';
import { ProblemsContext } from './useProblems';

const none: readonly DraftProblem[] = [];

/** How long a document rests before it is looked at, in milliseconds: edits of several people come close together. */
const rest = 300;

type Props = { flow: string; children: ReactNode };

/** Looks for the problems of the draft anew when an edit, of whomever, is at the server, which knows them. */
export function WithProblems({ flow, children }: Props) {
  const { data = none, isPending, isError, refetch } = useQuery({ ...problemsQuery(flow), refetchOnMount: 'always' });
  const saved = useEditorValue(({ saveState, document }) => (saveState === 'saved' ? document.flow : undefined));
  const looked = useRef(saved);
  useEffect(() => {
    if (saved === undefined || saved === looked.current) return;
    const timer = setTimeout(() => {
      looked.current = saved;
      void refetch();
    }, rest);
    return () => clearTimeout(timer);
  }, [saved, refetch]);
  const state = isError ? 'failed' : isPending ? 'looking' : 'known';
  const found = useMemo(() => ({ list: told(data), state }) as const, [data, state]);
  return <ProblemsContext value={found}>{children}</ProblemsContext>;
}
