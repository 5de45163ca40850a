import { Button, CopyButton } from '@mantine/core';
import styles from './CopyBlock.module.css';

/** Some lines for another program, with a button that copies them. `name` says to screen readers what they are. */
export function CopyBlock({ text, name }: { text: string; name: string }) {
  return (
    <div className={styles.block} data-long={text.includes('\n') || undefined}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <section className={styles.text} tabIndex={0} aria-label={name}>
        <pre>{text}</pre>
      </section>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button size="compact-xs" variant="default" className={styles.copy} onClick={copy}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </div>
  );
}
