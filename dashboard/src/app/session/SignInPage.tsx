import { Button, PasswordInput, TextInput } from '@mantine/core';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { graphql } from '../../graphql/graphql';
import { explain, Refused } from '../../graphql/problems';
import { queryClient } from '../../graphql/query';
import { send } from '../../graphql/send';
import { Brand } from './Brand';
import styles from './SignInPage.module.css';

const signInRoute = getRouteApi('/sign-in');

const signIn = graphql<'SignIn'>(`
  mutation SignIn($email: String!, $password: String!) { signIn(input: {email: $email, password: $password}) { userId } }`);

export function SignInPage() {
  const { to = '/' } = signInRoute.useSearch();
  const router = useRouter();
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    try {
      await send(signIn, { email: String(form.get('email')), password: String(form.get('password')) });
      queryClient.clear();
      router.history.push(to);
    } catch (error) {
      setProblem(wordsOf(error));
      setBusy(false);
    }
  };
  return (
    <main className={styles.page}>
      <form className={styles.form} onSubmit={submit}>
        <Brand />
        <h1>Sign in</h1>
        <TextInput label="Email" name="email" type="email" autoComplete="username" required autoFocus />
        <PasswordInput label="Password" name="password" autoComplete="current-password" required />
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
        <Button type="submit" size="md" loading={busy}>
          Sign in
        </Button>
      </form>
    </main>
  );
}

function wordsOf(error: unknown): string {
  if (error instanceof Refused && error.code === 'unauthenticated') return 'The email or the password is wrong.';
  const { title, detail } = explain(error);
  return `${title}. ${detail}`;
}
