import { useCallback, useMemo, useState } from 'react';
import type { Session } from '../document/session';
import { lostNotice, type Notice, refusalNotices, stopNotice, undoNotice } from './notices';

/** What the page tells: why a command could not run, what undo asks, what others' edits made impossible, and why the
 * server takes no edits. */
export function useNotices({ editor, sync, lost }: Session) {
  const [said, setSaid] = useState<Notice>();
  const [left, setLeft] = useState(lost);
  const say = useCallback((outcome: true | string) => {
    const dismiss = () => setSaid(undefined);
    setSaid(outcome === true ? undefined : { key: 'said', says: outcome, dismiss });
  }, []);
  const goBack = useCallback(
    (verb: 'undo' | 'redo', anyway = false): void => {
      const again = () => goBack(verb, true);
      setSaid(undoNotice(verb, editor[verb]({ anyway }), again, () => setSaid(undefined)));
    },
    [editor],
  );
  const list = useCallback(
    () =>
      [
        lostNotice(left, () => setLeft([])),
        said,
        ...refusalNotices(editor, say),
        stopNotice(editor, () => sync.retry()),
      ].filter((one) => one !== undefined),
    [editor, sync, left, said, say],
  );
  return useMemo(() => ({ say, goBack, list }), [say, goBack, list]);
}
