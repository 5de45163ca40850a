import { Button, CopyButton } from '@mantine/core';
import styles from './Secret.module.css';

/** A text for another program, with a button that copies it. */
export function CopyText({ text }: { text: string }) {
  return (
    <div className={styles.copy}>
      <code>{text}</code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button variant="subtle" onClick={copy}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </div>
  );
}
