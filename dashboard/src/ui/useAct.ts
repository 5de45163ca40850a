import { useState } from 'react';
import { explain } from '../graphql/problems';

/** Runs what a reader asks for, says when it is under way and why it failed. */
export function useAct() {
  const [busy, setBusy] = useState('');
  const [problem, setProblem] = useState('');
  /** True when it was done. `name` tells which of a part's acts is under way. */
  const act = async (change: () => Promise<unknown>, name = 'act'): Promise<boolean> => {
    setBusy(name);
    setProblem('');
    try {
      await change();
      return true;
    } catch (error) {
      const { title, detail } = explain(error);
      setProblem(`${title}. ${detail}`);
      return false;
    } finally {
      setBusy('');
    }
  };
  return { act, busy, problem };
}
