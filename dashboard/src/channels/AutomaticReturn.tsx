import { Switch } from '@mantine/core';
import { useState } from 'react';
import { explain } from '../graphql/problems';
import { queryClient } from '../graphql/query';
import { send } from '../graphql/send';
import styles from './ChannelsPage.module.css';
import { automaticReturnDocument } from './queries';

/** Whether a channel goes back by itself when a new version does harm. */
export function AutomaticReturn({ channel, on }: { channel: string; on: boolean }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const change = async (next: boolean) => {
    setBusy(true);
    setProblem('');
    try {
      await send(automaticReturnDocument, { id: channel, on: next });
      await queryClient.invalidateQueries({ queryKey: ['Channels'] });
    } catch (error) {
      const { title, detail } = explain(error);
      setProblem(`${title}. ${detail}`);
    }
    setBusy(false);
  };
  return (
    <section>
      <h2>Safe publish</h2>
      <Switch
        label="Go back by itself"
        checked={on}
        disabled={busy}
        onChange={(event) => void change(event.currentTarget.checked)}
      />
      <p>
        When a new version is worse than the one before it, the channel goes back at once. Members are notified in any
        case.
      </p>
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
    </section>
  );
}
