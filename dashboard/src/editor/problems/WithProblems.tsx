import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useMisfits } from '../misfits';
import { useEditing, useEditorValue } from '../useEditor';
import { type DraftProblem, problemsQuery } from './queries';
import { misfitProblems, missingProblems } from './texts';
import { told } from './told';
import { ProblemsContext } from './useProblems';

const none: readonly DraftProblem[] = [];

/** How long a document rests before it is looked at, in milliseconds: edits of several people come close together. */
const rest = 300;

type Props = { flow: string; children: ReactNode };

/** Looks for the problems of the draft anew when an edit, of whomever, is at the server, which knows them. What texts lack,
 * or how they do not fit, is known here. */
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
  const misfits = useMisfits();
  const rested = useRestedDocument();
  const texts = useMemo(() => [...misfitProblems(rested, misfits), ...missingProblems(rested)], [rested, misfits]);
  const found = useMemo(
    () => ({ list: told([...data.filter(byServer), ...texts]), state }) as const,
    [data, texts, state],
  );
  return <ProblemsContext value={found}>{children}</ProblemsContext>;
}

/** Missing translations are told here at once, with their fix. */
const byServer = ({ code }: DraftProblem) => !code.endsWith('.untranslated');

/** The document when the last edit is a moment old. */
function useRestedDocument() {
  const { editor } = useEditing();
  const flow = useEditorValue(({ document }) => document.flow);
  const [rested, setRested] = useState(editor.document);
  useEffect(() => {
    if (flow === rested.flow) return;
    const timer = setTimeout(() => setRested(editor.document), rest);
    return () => clearTimeout(timer);
  }, [editor, flow, rested]);
  return rested;
}
