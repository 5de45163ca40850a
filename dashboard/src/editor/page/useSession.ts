import { useEffect, useState } from 'react';
import { browserStore } from '../document/pending';
import { openDraft, type Session } from '../document/session';
import type { Person } from '../others';
import { followDraft } from './follow';
import { announceIn, Presence } from './presence';
import type { DraftHead } from './queries';
import { draftTransport } from './transport';

export type Opened = {
  session: Session;
  head: DraftHead;
  /** Takes in where the person's pointer is. */
  point: Presence['point'];
};

const unseen = { begin: () => {}, end: () => {}, hear: () => {} };

/** Opens the draft of a flow, and closes it with the page. `error` is what the server or the way to it said. Whoever only
 * looks on is not `announced` to the others. */
export function useSession(
  flow: string,
  { announced = true } = {},
): {
  opened?: Opened;
  error?: unknown;
  others: readonly Person[];
  again: () => void;
} {
  const [state, setState] = useState<{ opened?: Opened; error?: unknown }>({});
  const [others, setOthers] = useState<readonly Person[]>([]);
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try opens it anew
  useEffect(() => {
    let closed = false;
    let session: Session | undefined;
    let head: DraftHead;
    let unfollow = () => {};
    setState({});
    const transport = draftTransport(flow, (read) => {
      head = read;
    });
    openDraft(flow, transport, browserStore())
      .then((made) => {
        session = made;
        if (closed) void made.sync.close();
        else {
          const presence = announced
            ? new Presence(made.editor, announceIn(flow), (others) => !closed && setOthers(others))
            : undefined;
          unfollow = followDraft(made.sync, presence ?? unseen);
          setState({ opened: { session: made, head, point: (at) => presence?.point(at) } });
        }
      })
      .catch((error: unknown) => !closed && setState({ error }));
    const retry = () => session?.sync.retry();
    // Who has signed in in another tab, or is allowed again, comes back to this one.
    const comeBack = () => session?.editor.stoppedBy && session.sync.retry();
    const leave = (event: BeforeUnloadEvent) => {
      if (session && session.editor.saveState !== 'saved' && !session.editor.isKept) event.preventDefault();
    };
    addEventListener('online', retry);
    addEventListener('focus', comeBack);
    addEventListener('beforeunload', leave);
    return () => {
      closed = true;
      removeEventListener('online', retry);
      removeEventListener('focus', comeBack);
      removeEventListener('beforeunload', leave);
      unfollow();
      void session?.sync.close();
    };
  }, [flow, announced, tries]);
  return { ...state, others, again: () => setTries((count) => count + 1) };
}
