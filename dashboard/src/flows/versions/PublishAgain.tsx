import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { pinDocument } from '../../channels/queries';
import { explain } from '../../graphql/problems';
import { queryClient } from '../../graphql/query';
import { send } from '../../graphql/send';
import { type Serving, type Version, versionsChanged } from './queries';
import styles from './Versions.module.css';

/** Rolls the channels that serve another version of the flow back, or forward, to this one. */
export function PublishAgain({
  flow,
  version,
  serving,
}: {
  flow: string;
  version: Version;
  serving: readonly Serving[];
}) {
  const [open, setOpen] = useState(false);
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState('');
  const others = serving.filter((channel) => channel.version !== version.id);
  if (others.length === 0) return null;
  const pin = async (channel: string) => {
    setBusy(channel);
    setProblem('');
    try {
      await send(pinDocument, { id: channel, version: version.id, dryRun: false });
      await versionsChanged();
      await queryClient.invalidateQueries({ queryKey: ['Channels'] });
      await queryClient.invalidateQueries({ queryKey: ['ChannelWatch'] });
      if (others.length === 1) setOpen(false);
    } catch (error) {
      const { title, detail } = explain(error);
      setProblem(`${title}. ${detail}`);
    }
    setBusy('');
  };
  const back = others.some(({ number }) => number > version.number);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {back ? 'Roll back to this version' : 'Set live'}
      </Button>
      <Modal
        opened={open}
        onClose={() => setOpen(false)}
        title={`Set ${flow} v${version.number} live`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <p>All users who open the app from then on get it. Users in the flow stay in their version.</p>
        <ul className={styles.serving}>
          {others.map(({ id, name, kind, number }) => (
            <li key={id}>
              <span>
                <b>{name}</b>
                {kind === 'TEST' && ' (test)'} serves v{number}
              </span>
              <Button loading={busy === id} onClick={() => void pin(id)}>
                {number > version.number ? 'Roll back' : 'Set live'} {name}
              </Button>
            </li>
          ))}
        </ul>
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      </Modal>
    </>
  );
}
