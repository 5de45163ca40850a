import { stream } from '../../graphql/send';
import { withConnection } from '../../graphql/shared';
import type { Sync } from '../document/sync';
import type { Presence } from './presence';
import { draftEditsDocument } from './queries';
import { toEdit } from './transport';

/** The waits before a stream that failed is tried again, in milliseconds: longer from one failure to the next. */
const waits = [500, 1_000, 2_000, 5_000];

/** What is followed: a part of Sync. */
export type Followed = Pick<Sync, 'flow' | 'revision' | 'hear' | 'reread'>;

/** Brings an editor what others do as they do it, until it is told to stop. While the tab is hidden nothing is heard, so
 * that it takes no connection; what came meanwhile is heard when it is seen again. While no stream comes about, the draft
 * is read instead. */
export function followDraft(sync: Followed, presence: Pick<Presence, 'begin' | 'end' | 'hear'>): () => void {
  let reading: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;

  const read = async (signal: AbortSignal) => {
    const variables = { flow: sync.flow, after: sync.revision };
    for await (const { draftEdits: news } of stream(draftEditsDocument, variables, signal)) {
      failures = 0;
      if (news.reset) void sync.reread(news.revision);
      for (const edit of news.edits) sync.hear(toEdit(edit));
      if (news.people) presence.hear(news.people);
    }
  };
  const begin = () => {
    if (reading || document.hidden) return;
    presence.begin();
    const stop = new AbortController();
    reading = stop;
    const again = (wait: number) => {
      if (stop.signal.aborted) return;
      reading = undefined;
      timer = setTimeout(begin, wait);
    };
    withConnection(`draft ${sync.flow}`, stop.signal, read).then(
      () => again(waits[0]!),
      () => {
        if (stop.signal.aborted) return;
        if (failures > 0) void sync.reread(sync.revision);
        again(waits[Math.min(failures++, waits.length - 1)]!);
      },
    );
  };
  const end = () => {
    presence.end();
    clearTimeout(timer);
    reading?.abort();
    reading = undefined;
  };
  const turn = () => (document.hidden ? end() : begin());
  document.addEventListener('visibilitychange', turn);
  begin();
  return () => {
    document.removeEventListener('visibilitychange', turn);
    end();
  };
}
