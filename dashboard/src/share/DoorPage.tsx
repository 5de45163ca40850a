import { Button, PasswordInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Brand } from '../app/session/Brand';
import styles from '../app/session/SignInPage.module.css';
import { isSignedOut } from '../graphql/problems';
import { Empty } from '../ui/Empty';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { shareToken } from './link';
import { sharedViewQuery, unlock } from './queries';

/** What a reader sees of a link that does not open: it asks for its password, or is gone. */
export function DoorPage() {
  const { error, isPending } = useQuery({ ...sharedViewQuery, retry: false });
  if (isPending) return null;
  if (!shareToken || !error || isSignedOut(error)) return <Gone />;
  return <Password token={shareToken} />;
}

export function Gone() {
  return (
    <main className={styles.page}>
      <Empty
        title="This link shows nothing"
        why="It has expired or was revoked, or the address is not complete."
        next={<span>Ask who gave it to you for another one.</span>}
      />
    </main>
  );
}

function Password({ token }: { token: string }) {
  const router = useRouter();
  const { act, busy, problem } = useAct();
  const [password, setPassword] = useState('');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await act(() => unlock(token, password))) await router.invalidate();
  };
  return (
    <main className={styles.page}>
      <form className={styles.form} onSubmit={(event) => void submit(event)}>
        <Brand />
        <h1>Shared reports</h1>
        <PasswordInput
          label="Password of this link"
          required
          autoFocus
          maxLength={256}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Problem text={problem} />
        <Button type="submit" size="md" loading={busy !== ''}>
          View reports
        </Button>
      </form>
    </main>
  );
}
