import { useState } from 'react';
import { explain } from '../graphql/problems';

/** Runs what a reader asks for, says which act is under way and why the last one failed. What was typed is not touched. */
export function useAct() {
  const [busy, setBusy] = useState('');
  const [problem, setProblem] = useState('');
  /** What the change answers, or undefined when it failed. `name` tells which of a part's acts is under way. */
  const run = async <T>(change: () => Promise<T>, name = 'act'): Promise<T | undefined> => {
    setBusy(name);
    setProblem('');
    try {
      return await change();
    } catch (error) {
      const { title, detail } = explain(error);
      setProblem(`${title}. ${detail}`);
      return undefined;
    } finally {
      setBusy('');
    }
  };
  /** True when it was done. */
  const act = async (change: () => Promise<unknown>, name?: string): Promise<boolean> =>
    (await run(async () => {
      await change();
      return true;
    }, name)) ?? false;
  return { act, run, busy, problem };
}
