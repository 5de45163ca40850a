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

/** Opens the draft of a flow, and closes it with the page. `error` is what the server or the way to it said. */
export function useSession(flow: string): {
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
          const presence = new Presence(made.editor, announceIn(flow), (others) => !closed && setOthers(others));
          unfollow = followDraft(made.sync, presence);
          setState({ opened: { session: made, head, point: (at) => presence.point(at) } });
        }
      })
      .catch((error: unknown) => !closed && setState({ error }));
    const retry = () => session?.sync.retry();
    addEventListener('online', retry);
    return () => {
      closed = true;
      removeEventListener('online', retry);
      unfollow();
      void session?.sync.close();
    };
  }, [flow, tries]);
  return { ...state, others, again: () => setTries((count) => count + 1) };
}
