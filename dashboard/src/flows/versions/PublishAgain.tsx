import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { pinDocument } from '../../channels/queries';
import { queryClient } from '../../graphql/query';
import { send } from '../../graphql/send';
import { Problem } from '../../ui/Problem';
import { useAct } from '../../ui/useAct';
import { OtherChannel } from './OtherChannel';
import { type Other, type Serving, type Version, versionsChanged } from './queries';
import styles from './Versions.module.css';

type Props = {
  flow: { id: string; name: string };
  version: Version;
  serving: readonly Serving[];
  others: readonly Other[];
};

/** Sets the version live on channels: on those that serve another version of the flow, back or forward, and on one that
 * does not serve the flow yet. */
export function PublishAgain({ flow, version, serving, others }: Props) {
  const [open, setOpen] = useState(false);
  const [other, setOther] = useState<string | null>(null);
  const { act, busy, problem } = useAct();
  const differing = serving.filter((channel) => channel.version !== version.id);
  const back = differing.some(({ number }) => number > version.number);
  const pin = async (channel: string) => {
    await send(pinDocument, { id: channel, version: version.id, dryRun: false });
    await versionsChanged();
    for (const key of ['Channels', 'ChannelHistory', 'ChannelWatch'])
      await queryClient.invalidateQueries({ queryKey: [key] });
    setOther(null);
    if (differing.length <= 1) setOpen(false);
  };
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {back ? 'Roll back to this version' : 'Set live'}
      </Button>
      <Modal
        opened={open}
        onClose={() => setOpen(false)}
        title={`Set ${flow.name} v${version.number} live`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <div className={styles.form}>
          <p>All users who open the app from then on get it. Users in the flow stay in their version.</p>
          {differing.length > 0 && (
            <ul className={styles.serving}>
              {differing.map(({ id, name, kind, number }) => (
                <li key={id}>
                  <span>
                    <b>{name}</b>
                    {kind === 'TEST' && ' (test)'} serves v{number}
                  </span>
                  <Button loading={busy === id} onClick={() => void act(() => pin(id), id)}>
                    {number > version.number ? 'Roll back' : 'Set live'} {name}
                  </Button>
                </li>
              ))}
            </ul>
          )}
          <OtherChannel flow={flow} others={others} channel={other} choose={setOther} />
          {other && (
            <Button loading={busy === other} onClick={() => void act(() => pin(other), other)}>
              Set live on {others.find(({ id }) => id === other)?.name}
            </Button>
          )}
          <Problem text={problem} />
        </div>
      </Modal>
    </>
  );
}
