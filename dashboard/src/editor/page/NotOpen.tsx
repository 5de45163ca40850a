import { Link, useParams } from '@tanstack/react-router';
import { Empty } from '../../ui/Empty';
import { Failure } from '../../ui/Failure';
import { Waiting } from '../../ui/Waiting';
import { Undelivered } from '../document/transport';
import styles from './Edit.module.css';

/** What stands where a draft will: it is loaded, it failed, or there is none. */
export function NotOpen({ error, again }: { error?: unknown; again: () => void }) {
  const place = useParams({ strict: false });
  const missing = error instanceof Undelivered && error.code === 'not_found';
  return (
    <main className={styles.before} aria-busy={error === undefined}>
      <h1>Flow</h1>
      {missing ? (
        <Empty
          title="There is no such flow"
          why="It was removed, or the address is wrong."
          next={
            <Link
              to="/apps/$app/$environment/flows"
              params={{ app: place.app!, environment: place.environment! }}
              search={{}}
            >
              All flows
            </Link>
          }
        />
      ) : error === undefined ? (
        <Waiting height={480} />
      ) : (
        <Failure error={error} retry={again} />
      )}
    </main>
  );
}
