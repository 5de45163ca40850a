import { useCallback, useMemo, useState } from 'react';
import type { Editor } from '../document/editor';
import { lostNotice, type Notice, refusalNotices, undoNotice } from './notices';

/** What the page tells: why a command could not run, what undo asks, and what others' edits made impossible. */
export function useNotices(editor: Editor, lost: readonly string[]) {
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
      [lostNotice(left, () => setLeft([])), said, ...refusalNotices(editor, say)].filter((one) => one !== undefined),
    [editor, left, said, say],
  );
  return useMemo(() => ({ say, goBack, list }), [say, goBack, list]);
}
