import { Button, CopyButton } from '@mantine/core';
import styles from './Secret.module.css';

/** A secret that is shown this once. */
export function Secret({ name, value, close }: { name: string; value: string; close: () => void }) {
  return (
    <div className={styles.secret} role="status">
      <b>{name}: copy it now, it is shown this once.</b>
      <code>{value}</code>
      <div>
        <CopyButton value={value}>
          {({ copied, copy }) => <Button onClick={copy}>{copied ? 'Copied' : 'Copy'}</Button>}
        </CopyButton>
        <Button variant="subtle" onClick={close}>
          I have it
        </Button>
      </div>
    </div>
  );
}
