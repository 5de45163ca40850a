import { Button, CopyButton, Modal } from '@mantine/core';
import { useState } from 'react';
import { explain } from '../../graphql/problems';
import { send } from '../../graphql/send';
import { localZone } from '../../scope/calendar';
import { formatTime } from '../../ui/format';
import { previewLinkDocument } from './queries';
import styles from './Versions.module.css';

/** A link that opens the draft or a version in an app, for a day; nothing that is done there is recorded. */
export function PreviewLink({ flow, version }: { flow: string; version: string | undefined }) {
  const [link, setLink] = useState<{ token: string; expiresAt: string }>();
  const [problem, setProblem] = useState('');
  const make = async () => {
    setProblem('');
    try {
      const { data } = await send(previewLinkDocument, { flow, version });
      setLink(data.createPreviewLink);
    } catch (error) {
      setProblem(explain(error).detail);
    }
  };
  return (
    <>
      <Button variant="default" onClick={() => void make()}>
        Preview
      </Button>
      <span role="alert" className={styles.problem}>
        {problem}
      </span>
      <Modal
        opened={link !== undefined}
        onClose={() => setLink(undefined)}
        title="Preview"
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {link && (
          <div className={styles.form}>
            <p>
              Add this to a URL of your app, which must use the key of its test environment. It works until{' '}
              {formatTime(link.expiresAt, localZone(), { dateStyle: 'medium', timeStyle: 'short' })}.
            </p>
            <code className={styles.link}>?svc.preview={link.token}</code>
            <CopyButton value={`?svc.preview=${link.token}`}>
              {({ copied, copy }) => <Button onClick={copy}>{copied ? 'Copied' : 'Copy'}</Button>}
            </CopyButton>
          </div>
        )}
      </Modal>
    </>
  );
}
