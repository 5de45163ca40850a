import { Button, PasswordInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Brand } from '../app/session/Brand';
import styles from '../app/session/SignInPage.module.css';
import { Empty } from '../ui/Empty';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { shareToken } from './link';
import { sharedViewQuery, unlock } from './queries';

/** What a reader sees of a link that does not open: it asks for its password, or is gone. */
export function DoorPage() {
  const answer = useQuery(sharedViewQuery).data;
  if (!answer) return null;
  const needsPassword = answer.problems.some(({ code }) => code === 'forbidden');
  return shareToken && needsPassword ? <Password token={shareToken} /> : <Gone />;
}

function Gone() {
  return (
    <main className={styles.page}>
      <h1 className="reader">Shared reports</h1>
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
  const { run, busy, problem } = useAct();
  const [wrong, setWrong] = useState(false);
  const [password, setPassword] = useState('');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setWrong(false);
    const opened = await run(() => unlock(token, password));
    setWrong(opened === false);
    if (opened) await router.invalidate();
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
        <Problem text={wrong ? 'The password is wrong.' : problem} />
        <Button type="submit" size="md" loading={busy !== ''}>
          View reports
        </Button>
      </form>
    </main>
  );
}
