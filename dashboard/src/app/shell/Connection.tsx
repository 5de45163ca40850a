import { useEffect, useSyncExternalStore } from 'react';
import { queryClient } from '../../graphql/query';
import { isLost, onReachable } from '../../graphql/reachable';
import { shareToken } from '../../share/link';
import { sessionQuery } from '../session/session';
import styles from './Connection.module.css';

/** How often the server is asked whether it is there again, in milliseconds. */
const lookAgain = 2_000;

/** A bar while the server does not answer. What is typed stays; the queries try again by themselves. */
export function Connection() {
  const lost = useSyncExternalStore(onReachable, isLost);
  useEffect(() => {
    if (!lost) return;
    const timer = setInterval(
      () => void queryClient.refetchQueries({ queryKey: shareToken ? ['SharedView'] : sessionQuery.queryKey }),
      lookAgain,
    );
    return () => clearInterval(timer);
  }, [lost]);
  return lost ? (
    <div className={styles.bar} role="status">
      The server does not answer. You see its last data, your input is kept, and the page tries again.
    </div>
  ) : null;
}
