import { Button, CopyButton } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './Secret.module.css';

type Props = {
  name: string;
  value: string;
  close: () => void;
  /** What it is for. */
  children?: ReactNode;
};

/** A secret that is shown this once. */
export function Secret({ name, value, close, children }: Props) {
  return (
    <div className={styles.secret} role="status">
      <b>{name}: copy it now, it is shown only once.</b>
      {children && <p>{children}</p>}
      <code>{value}</code>
      <div>
        <CopyButton value={value}>
          {({ copied, copy }) => <Button onClick={copy}>{copied ? 'Copied' : 'Copy'}</Button>}
        </CopyButton>
        <Button variant="subtle" onClick={close}>
          Done
        </Button>
      </div>
    </div>
  );
}
