import type { EmailPasswordAuthHandler, OAuthLoginHandler } from '@svc/expo';

// Stand-ins for an app's own sign-in. A real handler opens its identity provider and resolves when that answers.

export const signIn: OAuthLoginHandler = ({ provider, resolve }) => {
  const name = provider.type === 'preset' ? provider.provider : provider.label.default;
  setTimeout(() => resolve({ success: true, customerExternalId: `${name}-1` }), 400);
};

export const signUpOrIn: EmailPasswordAuthHandler = ({ email, resolve }) => {
  const known = !email.endsWith('@unknown.example');
  setTimeout(() => resolve(known ? { success: true } : { success: false, error: 'unknown_person' }), 400);
};
