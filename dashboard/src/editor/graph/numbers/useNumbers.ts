import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { graphNumbers } from '../../../app/session/storage';
import { problemsAt, Refused } from '../../../graphql/problems';
import { exitOf } from '../../document/exits';
import { useEditing } from '../../useEditor';
import type { Graph } from '../model';
import { type Numbers, numbersOn } from './numbers';
import { type FlowPlace, newestQuery, numbersQuery } from './queries';
import { useSimulated } from './useSimulated';

/** From how many failures on a reader is told: a query is asked on for ever while the server does not answer. */
const told = 2;

/** How far the numbers are. */
export type NumbersState =
  | { is: 'off' | 'loading' | 'unpublished' }
  | { is: 'failed'; error: unknown; retry: () => void }
  | { is: 'shown' | 'nobody'; version: number };

/** The numbers of the version that was published last, while the reader wants them. */
export function useNumbers(place: FlowPlace, graph: Graph) {
  const { editor } = useEditing();
  const [on, setOn] = useState(() => graphNumbers.read() === 'on');
  const newest = useQuery({ ...newestQuery(place.flow), enabled: on });
  const version = newest.data?.data.flow?.versions.nodes[0];
  const report = useQuery({ ...numbersQuery(place, version?.id), enabled: on && version !== undefined });
  const funnel = on && version ? report.data?.data.flowAnalytics?.funnel : undefined;
  const shown = funnel && funnel.runs > 0 ? funnel : undefined;
  const numbers = useMemo(
    (): Numbers | undefined => shown && numbersOn(graph, shown, (way) => exitOf(editor.document, way)),
    [graph, shown, editor],
  );

  const turn = (on: boolean) => {
    graphNumbers.write(on ? 'on' : 'off');
    setOn(on);
  };
  const simulated = useSimulated(place, on);
  return { on, turn, numbers, state: stateOf(), simulated };

  function stateOf(): NumbersState {
    if (!on) return { is: 'off' };
    for (const [asked, path] of [[newest, 'flow'] as const, [report, 'flowAnalytics'] as const]) {
      const retry = () => void asked.refetch();
      if (asked.data) {
        const problems = problemsAt(asked.data.problems, path);
        if (problems.length > 0) return { is: 'failed', error: new Refused(problems), retry };
      } else if (asked.isError || asked.failureCount >= told)
        return { is: 'failed', error: asked.failureReason, retry };
    }
    if (newest.data && !version) return { is: 'unpublished' };
    if (!funnel || !version) return { is: 'loading' };
    return { is: shown ? 'shown' : 'nobody', version: version.number };
  }
}
