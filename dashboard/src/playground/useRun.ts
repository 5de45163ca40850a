import { useCallback, useEffect, useRef, useState } from 'react';
import { explain, Refused } from '../graphql/problems';
import { Unreachable } from '../graphql/reachable';
import { type Answer, withAnswer } from './answers';
import { mistakeIn, operationOf, run } from './run';

/** Answers of the document that runs: the one of a query, or those of a subscription, the newest first. */
export function useRun() {
  const [answer, setAnswer] = useState({ text: '', state: '' });
  const [stream, setStream] = useState<readonly Answer[]>();
  const [running, setRunning] = useState(false);
  const control = useRef<AbortController>(undefined);
  const stop = useCallback(() => {
    if (control.current && !control.current.signal.aborted)
      setAnswer((before) => ({ ...before, state: `${before.state}. Stopped.` }));
    control.current?.abort();
    setRunning(false);
  }, []);
  useEffect(() => () => control.current?.abort(), []);
  const start = useCallback((query: string, variables: string) => {
    control.current?.abort();
    const own = new AbortController();
    control.current = own;
    const mistake = mistakeIn(variables);
    if (mistake) return setAnswer({ text: '', state: mistake });
    const begun = performance.now();
    const fail = (error: unknown) => {
      const known = error instanceof Refused || error instanceof Unreachable;
      const state = known ? explain(error).title : error instanceof Error ? error.message : String(error);
      setAnswer((before) => ({ ...before, state }));
    };
    setRunning(true);
    setAnswer((before) => ({ ...before, state: 'Running…' }));
    void (async () => {
      let count = 0;
      try {
        const streams = operationOf(query).kind === 'subscription';
        setStream(streams ? [] : undefined);
        for await (const text of run(query, variables, own.signal)) {
          const after = Math.round(performance.now() - begun);
          count++;
          if (own.signal.aborted) return;
          setAnswer({
            text,
            state: streams ? `${count} ${count === 1 ? 'answer' : 'answers'}` : `Answered in ${after} ms`,
          });
          if (streams) setStream((before = []) => withAnswer(before, { number: count, after, text }));
        }
        if (streams) setAnswer((before) => ({ ...before, state: `${before.state}. The server has ended it.` }));
      } catch (error) {
        if (!own.signal.aborted) fail(error);
      } finally {
        if (control.current === own) {
          setRunning(false);
          control.current = undefined;
        }
      }
    })();
  }, []);
  return { answer, stream, running, start, stop };
}
