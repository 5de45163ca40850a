import { ActionIcon, Button } from '@mantine/core';
import { Icon } from '../../ui/Icon';
import { useEditorValue } from '../useEditor';
import styles from './Edit.module.css';
import type { Notice } from './notices';

/** What the page tells, the latest last, over the canvas. */
export function Notices({ list }: { list: () => Notice[] }) {
  useEditorValue(({ refused }) => refused);
  useEditorValue(({ stoppedBy, isKept }) => `${stoppedBy} ${isKept}`);
  return (
    <div className={styles.notices}>
      {list().map(({ key, says, detail, act, dismiss }) => (
        <div key={key} role="alert" className={styles.notice}>
          <p>
            {says}
            {detail && <small>{detail}</small>}
          </p>
          {act && (
            <Button size="xs" variant="default" onClick={act.run}>
              {act.label}
            </Button>
          )}
          {dismiss && (
            <ActionIcon variant="transparent" aria-label="Dismiss" onClick={dismiss}>
              <Icon name="close" size={12} />
            </ActionIcon>
          )}
        </div>
      ))}
    </div>
  );
}
