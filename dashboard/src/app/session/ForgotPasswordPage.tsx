import { Button, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { send } from '../../graphql/send';
import { useAct } from '../../ui/useAct';
import { Brand } from './Brand';
import { requestPasswordResetDocument } from './queries';
import styles from './SignInPage.module.css';

/** Asks for a link that sets a new password. It says the same for every email. */
export function ForgotPasswordPage() {
  const { act, busy, problem } = useAct();
  const [sentTo, setSentTo] = useState('');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const email = String(new FormData(event.currentTarget).get('email'));
    void act(async () => {
      await send(requestPasswordResetDocument, { email });
      setSentTo(email);
    }, 'ask');
  };
  return (
    <main className={styles.page}>
      <form className={styles.form} onSubmit={submit}>
        <Brand />
        <h1>Reset your password</h1>
        {sentTo ? (
          <p role="status">
            If <b>{sentTo}</b> has an account here, a link is on its way. It works once, for an hour. Look in your spam
            folder, too.
          </p>
        ) : (
          <>
            <p>We email you a link that sets a new password.</p>
            <TextInput label="Email" name="email" type="email" autoComplete="username" required autoFocus />
            <p role="alert" className={styles.problem}>
              {problem}
            </p>
            <Button type="submit" size="md" loading={busy === 'ask'}>
              Send link
            </Button>
          </>
        )}
        <Link to="/sign-in">Back to sign-in</Link>
      </form>
    </main>
  );
}
