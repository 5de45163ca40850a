import { Button } from '@mantine/core';
import { explain } from '../graphql/problems';
import styles from './Failure.module.css';

/** What happened, and a way to try again. */
export function Failure({ error, retry }: { error: unknown; retry: () => void }) {
  const { title, detail } = explain(error);
  return (
    <div className={styles.failure} role="alert">
      <strong>{title}</strong>
      <span>{detail}</span>
      <Button variant="default" onClick={retry}>
        Try again
      </Button>
    </div>
  );
}
