import { Button, PasswordInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { send } from '../graphql/send';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import styles from './AccountPage.module.css';
import { accountChanged, changePasswordDocument } from './queries';

/** Replaces the password. */
export function Password({ email }: { email: string }) {
  const { act, busy, problem } = useAct();
  const [done, setDone] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const given = new FormData(form);
    setDone(false);
    const changed = await act(async () => {
      await send(changePasswordDocument, { current: String(given.get('current')), next: String(given.get('next')) });
      await accountChanged();
    });
    if (changed) form.reset();
    setDone(changed);
  };
  return (
    <section className={styles.part}>
      <h2>Password</h2>
      <p>A new password ends your other sessions.</p>
      <form className={styles.form} onSubmit={submit}>
        <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
        <PasswordInput label="Current password" name="current" autoComplete="current-password" required />
        <PasswordInput
          label="New password"
          name="next"
          autoComplete="new-password"
          description="8 to 256 characters"
          minLength={8}
          maxLength={256}
          required
        />
        <div>
          <Button type="submit" variant="default" loading={busy !== ''}>
            Change password
          </Button>
        </div>
        <p role="status">{done && 'Changed.'}</p>
        <Problem text={problem} />
      </form>
    </section>
  );
}
