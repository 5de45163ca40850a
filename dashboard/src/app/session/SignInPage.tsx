import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { graphql } from '../../graphql/graphql';
import { explain, Refused } from '../../graphql/problems';
import { query, queryClient } from '../../graphql/query';
import { send } from '../../graphql/send';
import { Brand } from './Brand';
import { hasPasskeys, isDeclined, signWithPasskey } from './passkeys';
import styles from './SignInPage.module.css';

const signInRoute = getRouteApi('/sign-in');

const signIn = graphql<'SignIn'>(`
  mutation SignIn($email: String!, $password: String!, $code: String) {
    signIn(input: {email: $email, password: $password, code: $code}) { userId }
  }`);

const optionsDocument = graphql<'SignInOptions'>(
  `query SignInOptions { signInOptions { passkeys provider passwordReset } }`,
);

const beginPasskeySignIn = graphql<'BeginPasskeySignIn'>(`
  mutation BeginPasskeySignIn { beginPasskeySignIn { token options } }`);

const signInWithPasskey = graphql<'SignInWithPasskey'>(`
  mutation SignInWithPasskey($token: String!, $credential: JSON!) {
    signInWithPasskey(input: {token: $token, credential: $credential}) { userId }
  }`);

const optionsQuery = { ...query(optionsDocument, 'options', () => ({})), staleTime: 60_000 };

/** Why the provider signed nobody in, by what the server adds to the address. */
const refusals = {
  refused: 'The sign-in did not come to an end. Try again.',
  stranger: 'Your account there opens nothing here. Ask an administrator for an invitation.',
  link: 'You have an account with a password here. Sign in with it once, then choose this way again.',
  often: 'Too many sign-ins. Try again in some minutes.',
  failed: 'The provider cannot be reached now. Try again in a moment, or use your password.',
};

export function SignInPage() {
  const { to = '/', problem: refusal } = signInRoute.useSearch();
  const router = useRouter();
  const options = useQuery(optionsQuery).data?.data.signInOptions;
  const [problem, setProblem] = useState(refusal ? refusals[refusal] : '');
  const [busy, setBusy] = useState('');
  const [asked, setAsked] = useState(false); // for a code: the password is right
  const enter = async (way: string, run: () => Promise<unknown>) => {
    setBusy(way);
    setProblem('');
    try {
      await run();
      queryClient.clear();
      router.history.push(to);
    } catch (error) {
      const forCode = error instanceof Refused && error.code === 'second_factor_required';
      if (forCode) setAsked(true);
      else if (!isDeclined(error)) setProblem(wordsOf(error, way, asked));
      setBusy('');
    }
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void enter('password', () =>
      send(signIn, {
        email: String(form.get('email')),
        password: String(form.get('password')),
        code: form.get('code') as string | null,
      }),
    );
  };
  const enterByPasskey = () =>
    enter('passkey', async () => {
      const { data } = await send(beginPasskeySignIn, {});
      const credential = await signWithPasskey(data.beginPasskeySignIn.options);
      await send(signInWithPasskey, { token: data.beginPasskeySignIn.token, credential });
    });
  return (
    <main className={styles.page}>
      <form className={styles.form} onSubmit={submit}>
        <Brand />
        <h1>Sign in</h1>
        <TextInput label="Email" name="email" type="email" autoComplete="username" required autoFocus />
        <PasswordInput label="Password" name="password" autoComplete="current-password" required />
        {options?.passwordReset && <Link to="/forgot-password">Forgot password?</Link>}
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
        <Button type="submit" size="md" loading={busy === 'password'}>
          Sign in
        </Button>
        {options?.passkeys && hasPasskeys() && (
          <Button variant="default" size="md" loading={busy === 'passkey'} onClick={() => void enterByPasskey()}>
            Use a passkey
          </Button>
        )}
        {options?.provider && (
          <Button
            variant="default"
            size="md"
            component="a"
            href={`/sign-in/provider?${new URLSearchParams({ to }).toString()}`}
          >
            {`Continue with ${options.provider}`}
          </Button>
        )}
      </form>
    </main>
  );
}

function wordsOf(error: unknown, way: string, asked: boolean): string {
  if (error instanceof Refused && error.code === 'unauthenticated') {
    if (way === 'passkey') return 'This passkey is not known here.';
    return asked ? 'The code is wrong or was used.' : 'The email or the password is wrong.';
  }
  const { title, detail } = explain(error);
  return `${title}. ${detail}`;
}
