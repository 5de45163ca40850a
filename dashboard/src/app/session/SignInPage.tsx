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
  mutation SignIn($email: String!, $password: String!, $code: String) {
    signIn(input: {email: $email, password: $password, code: $code}) { userId }
  }`);

export function SignInPage() {
  const { to = '/' } = signInRoute.useSearch();
  const router = useRouter();
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const [asked, setAsked] = useState(false); // for a code: the password is right
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    try {
      await send(signIn, {
        email: String(form.get('email')),
        password: String(form.get('password')),
        code: form.get('code') as string | null,
      });
      queryClient.clear();
      router.history.push(to);
    } catch (error) {
      const forCode = error instanceof Refused && error.code === 'second_factor_required';
      setProblem(forCode ? '' : wordsOf(error, asked));
      if (forCode) setAsked(true);
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
        {asked && (
          <TextInput
            label="Code"
            description="Of your authenticator app, or a recovery code"
            name="code"
            autoComplete="one-time-code"
            required
            autoFocus
          />
        )}
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

function wordsOf(error: unknown, asked: boolean): string {
  if (error instanceof Refused && error.code === 'unauthenticated')
    return asked ? 'The code is wrong or was used.' : 'The email or the password is wrong.';
  const { title, detail } = explain(error);
  return `${title}. ${detail}`;
}
