import { Button, PasswordInput } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Refused } from '../../graphql/problems';
import { queryClient } from '../../graphql/query';
import { send } from '../../graphql/send';
import { useAct } from '../../ui/useAct';
import { Brand } from './Brand';
import { resetPasswordDocument } from './queries';
import styles from './SignInPage.module.css';

const route = getRouteApi('/reset-password');

/** Sets the new password of whom a link was sent to. */
export function ResetPasswordPage() {
  const { token } = route.useSearch();
  const { act, busy, problem } = useAct();
  const [done, setDone] = useState(false);
  const [spent, setSpent] = useState(false); // the link works no more
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = String(new FormData(event.currentTarget).get('password'));
    void act(async () => {
      try {
        await send(resetPasswordDocument, { token, password });
        queryClient.clear();
        setDone(true);
      } catch (error) {
        if (!(error instanceof Refused && error.problems[0]?.field === 'token')) throw error;
        setSpent(true);
      }
    }, 'set');
  };
  return (
    <main className={styles.page}>
      <form className={styles.form} onSubmit={submit}>
        <Brand />
        <h1>{done ? 'Password changed' : 'Set a new password'}</h1>
        {done ? (
          <>
            <p role="status">All sessions of your account have ended. Sign in with the new password.</p>
            <Button component={Link} to="/sign-in" size="md">
              Sign in
            </Button>
          </>
        ) : (
          <>
            <PasswordInput
              label="New password"
              description="At least 8 characters"
              name="password"
              autoComplete="new-password"
              minLength={8}
              maxLength={256}
              required
              autoFocus
            />
            <p role="alert" className={styles.problem}>
              {spent ? 'This link was used or has expired. Ask for another one.' : problem}
            </p>
            <Button type="submit" size="md" loading={busy === 'set'}>
              Set password
            </Button>
            <Link to="/forgot-password">Ask for another link</Link>
          </>
        )}
      </form>
    </main>
  );
}
