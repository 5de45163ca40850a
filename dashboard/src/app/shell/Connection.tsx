import { useSyncExternalStore } from 'react';
import { queryClient } from '../../graphql/query';
import { Unreachable } from '../../graphql/send';
import styles from './Connection.module.css';

/** A bar while the server does not answer. What is typed stays; the queries try again by themselves. */
export function Connection() {
  const lost = useSyncExternalStore(
    (listener) => queryClient.getQueryCache().subscribe(listener),
    () =>
      queryClient
        .getQueryCache()
        .getAll()
        .some(({ state }) => state.error instanceof Unreachable || state.fetchFailureReason instanceof Unreachable),
  );
  return lost ? (
    <div className={styles.bar} role="status">
      The server does not answer. What you see is what it said last, what you typed is kept, and the page tries again.
    </div>
  ) : null;
}
