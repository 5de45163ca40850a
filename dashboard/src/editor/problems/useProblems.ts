import { createContext, useContext } from 'react';
import type { NodeId } from '../document/operation';
import type { DraftProblem } from './queries';

/** What publishing would find wrong with the draft, by the last answer of the server. */
export type Found = {
  list: readonly DraftProblem[];
  state: 'known' | 'looking' | 'failed';
};

/** Apart from the rest of the editor: it changes after every edit, and few parts draw it. */
export const ProblemsContext = createContext<Found>({ list: [], state: 'looking' });

export const useProblems = (): Found => useContext(ProblemsContext);

/** The problems of a screen, with those of its layers, or of a layer. */
export function useProblemsOf(id: NodeId): readonly DraftProblem[] {
  return useProblems().list.filter(({ stepId, layerId }) => stepId === id || layerId === id);
}
