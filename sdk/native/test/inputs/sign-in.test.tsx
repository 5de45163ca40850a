import type { EmailPasswordAuthLayer, OauthLoginLayer } from '@svc/core';
import {
  EmailPasswordAuthProvider,
  type EmailPasswordAuthRequest,
  OAuthLoginProvider,
  type OAuthLoginRequest,
  useEmailPasswordAuth,
  useOAuthLogin,
} from '@svc/react-core';
import { act, fireEvent, screen } from '@testing-library/react-native';
import { type ReactNode, useEffect } from 'react';
import { showLayers, text } from '../support/inputs';

type Asked<P> = P & { resolve(result: { success: boolean; error?: string; customerExternalId?: string }): void };

describe('sign-in rows', () => {
  const login: OauthLoginLayer = {
    id: 'lyr_oa',
    kind: 'oauth_login',
    children: [
      { id: 'lyr_google', kind: 'oauth_provider', variant: 'preset', provider: 'google' },
      { id: 'lyr_apple', kind: 'oauth_provider', variant: 'preset', provider: 'apple', label: { default: 'Apple!' } },
      {
        id: 'lyr_own',
        kind: 'oauth_provider',
        variant: 'custom',
        rowId: '22222222-2222-4222-8222-222222222201',
        buttonVariant: 'secondary',
        children: [text('lyr_own_t', 'Company')],
      },
    ],
  };
  const row = (name: string) => screen.getByRole('button', { name });
  let asked: Asked<OAuthLoginRequest>[];

  function Host({ children }: { children: ReactNode }) {
    const { attach } = useOAuthLogin();
    useEffect(() => attach((request) => void asked.push(request as Asked<OAuthLoginRequest>)), [attach]);
    return children;
  }
  const around = (drawn: ReactNode) => (
    <OAuthLoginProvider>
      <Host>{drawn}</Host>
    </OAuthLoginProvider>
  );
  beforeEach(() => {
    asked = [];
  });

  test('ask the host once, and wait for its answer with all rows closed', async () => {
    const { responses } = await showLayers([login], { around });
    fireEvent.press(row('Sign in with Google'));
    expect(asked).toMatchObject([{ layerId: 'lyr_oa', screenId: 'scr_a', provider: { provider: 'google' } }]);
    for (const name of ['Sign in with Google', 'Apple!', 'Company']) expect(row(name)).toBeDisabled();
    expect(row('Sign in with Google')).toBeBusy();
    expect(row('Company')).not.toBeBusy();
    fireEvent.press(row('Company'));
    expect(asked).toHaveLength(1);
    await act(async () => asked[0]?.resolve({ success: true, customerExternalId: 'c1' }));
    expect(responses).toEqual([
      {
        kind: 'oauth_login_resolve',
        layerId: 'lyr_oa',
        provider: { type: 'preset', provider: 'google' },
        success: true,
        customerExternalId: 'c1',
      },
    ]);
    expect(row('Company')).toBeEnabled();
  });

  test('say that it failed, and open again', async () => {
    const { responses } = await showLayers([login], { around });
    fireEvent.press(row('Company'));
    expect(asked[0]?.provider).toMatchObject({ type: 'custom', label: { default: 'Company' } });
    await act(async () => asked[0]?.resolve({ success: false, error: 'cancelled' }));
    expect(screen.getByRole('alert')).toHaveTextContent('That did not work. Please try again.');
    expect(responses).toMatchObject([{ success: false, error: 'cancelled' }]);
    fireEvent.press(row('Apple!'));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('fail where no host listens', async () => {
    const { responses } = await showLayers([login]);
    await act(async () => fireEvent.press(row('Apple!')));
    expect(responses).toMatchObject([{ success: false, error: 'no_provider' }]);
  });
});

describe('an e-mail and password form', () => {
  const form: EmailPasswordAuthLayer = {
    id: 'lyr_ep',
    kind: 'email_password_auth',
    mode: 'sign_up',
    fieldKey: 'account',
    passwordRules: { minLength: 10, maxLength: 72, requireDigit: true },
    children: [
      { id: 'lyr_e', kind: 'email_password_field', slot: 'email' },
      { id: 'lyr_p', kind: 'email_password_field', slot: 'password' },
      { id: 'lyr_c', kind: 'email_password_field', slot: 'confirm' },
      { id: 'lyr_s', kind: 'email_password_submit', buttonVariant: 'primary', children: [text('lyr_s_t', 'Join')] },
    ],
  };
  const signIn: EmailPasswordAuthLayer = {
    ...form,
    mode: 'sign_in',
    children: form.children.filter((child) => child.id !== 'lyr_c'),
  };
  const SECRET = 'correct horse 1';
  const input = (label: string) => screen.getByLabelText(label);
  const type = (label: string, words: string) => fireEvent.changeText(input(label), words);
  const join = () => act(async () => fireEvent.press(screen.getByRole('button', { name: 'Join' })));
  let asked: Asked<EmailPasswordAuthRequest>[];

  function Host({ children }: { children: ReactNode }) {
    const { attach } = useEmailPasswordAuth();
    useEffect(() => attach((request) => void asked.push(request as Asked<EmailPasswordAuthRequest>)), [attach]);
    return children;
  }
  const around = (drawn: ReactNode) => (
    <EmailPasswordAuthProvider>
      <Host>{drawn}</Host>
    </EmailPasswordAuthProvider>
  );
  beforeEach(() => {
    asked = [];
  });

  test('names the first thing that is wrong until there is nothing', async () => {
    await showLayers([form], { around });
    const steps: [() => void, string][] = [
      [() => undefined, 'Please fill in this field.'],
      [() => type('Email', 'ana'), 'Please enter an email address.'],
      [() => type('Email', ' ana@example.com '), 'Please fill in this field.'],
      [() => type('Password', 'short'), 'Please use at least 10 characters.'],
      [() => type('Password', 'long but no digit'), 'Please use a digit.'],
      [() => type('Password', SECRET), 'Please fill in this field.'],
      [() => type('Repeat password', 'other'), 'The passwords differ.'],
    ];
    for (const [change, message] of steps) {
      change();
      await join();
      expect(screen.getByRole('alert')).toHaveTextContent(message);
    }
    type('Repeat password', SECRET);
    expect(screen.queryByRole('alert')).toBeNull();
    await join();
    expect(asked).toMatchObject([
      { mode: 'sign_up', fieldKey: 'account', email: 'ana@example.com', password: SECRET, confirmPassword: SECRET },
    ]);
  });

  test('tells phones which passwords to propose or to remember', async () => {
    await showLayers([form], { around });
    expect(input('Email').props).toMatchObject({ keyboardType: 'email-address', textContentType: 'username' });
    expect(input('Password').props).toMatchObject({
      secureTextEntry: true,
      autoComplete: 'new-password',
      textContentType: 'newPassword',
      passwordRules: 'minlength: 10; maxlength: 72; required: digit;',
      returnKeyType: 'next',
    });
    expect(input('Repeat password').props).toMatchObject({ secureTextEntry: true, returnKeyType: 'go' });
    screen.unmount();
    await showLayers([signIn], { around });
    expect(input('Password').props).toMatchObject({ autoComplete: 'current-password', textContentType: 'password' });
    expect(input('Password').props.passwordRules).toBeUndefined();
  });

  test('is locked while the host answers, and sends by the return key', async () => {
    const { responses } = await showLayers([signIn], { around });
    type('Email', 'ana@example.com');
    type('Password', 'x');
    await act(async () => fireEvent(input('Password'), 'submitEditing'));
    expect(input('Email').props.editable).toBe(false);
    expect(screen.getByRole('button', { name: 'Join' })).toBeBusy();
    await act(async () => asked[0]?.resolve({ success: false, error: 'wrong' }));
    expect(screen.getByRole('alert')).toHaveTextContent('That did not work. Please try again.');
    expect(responses).toEqual([
      {
        kind: 'email_password_auth_resolve',
        layerId: 'lyr_ep',
        fieldKey: 'account',
        mode: 'sign_in',
        email: 'ana@example.com',
        success: false,
        error: 'wrong',
      },
    ]);
    expect(input('Email').props.editable).toBe(true);
  });

  test('keeps passwords out of everything that is drawn, answered or logged', async () => {
    const logged: unknown[] = [];
    for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
      jest.spyOn(console, method).mockImplementation((...words) => void logged.push(words));
    }
    const { responses } = await showLayers([form], { around });
    type('Email', 'ana@example.com');
    type('Password', SECRET);
    type('Repeat password', SECRET);
    const seen: unknown[] = [screen.toJSON()];
    await join();
    seen.push(screen.toJSON());
    await act(async () => asked[0]?.resolve({ success: true }));
    seen.push(screen.toJSON(), responses, logged);
    expect(responses).toMatchObject([{ success: true, email: 'ana@example.com' }]);
    expect(asked[0]?.password).toBe(SECRET);
    expect(JSON.stringify(seen)).not.toContain(SECRET);
    jest.restoreAllMocks();
  });
});
