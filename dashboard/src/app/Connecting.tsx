import { useSyncExternalStore } from 'react';
import { isLost, onReachable } from '../graphql/reachable';
import { Empty } from '../ui/Empty';

/** In place of a page for which the server has not said yet who is signed in. */
export function Connecting() {
  const lost = useSyncExternalStore(onReachable, isLost);
  return (
    <main>
      <Empty
        title={lost ? 'The server does not answer' : 'Connecting…'}
        why={lost ? 'Nothing is lost. The page opens by itself once the server is there.' : 'Waiting for the server.'}
        next={null}
      />
    </main>
  );
}
