import { type ReactNode, useEffect } from 'react';
import { type EmailPasswordAuthHandler, EmailPasswordAuthProvider, useEmailPasswordAuth } from '../auth/email-password';
import { type OAuthLoginHandler, OAuthLoginProvider, useOAuthLogin } from '../auth/oauth';
import type { BaseFlowProps } from './flow-props';
import type { UseFlowResult } from './use-flow';

interface FlowAuthProps extends Pick<BaseFlowProps, 'onOAuthLogin' | 'onEmailPasswordAuth' | 'authTimeoutMs'> {
  flow: UseFlowResult;
  children: ReactNode;
}

/** Lets the handlers of `Flow` answer the sign-in layers below it. */
export function FlowAuth({ flow, onOAuthLogin, onEmailPasswordAuth, authTimeoutMs, children }: FlowAuthProps) {
  const timeout = authTimeoutMs === undefined ? {} : { timeoutMs: authTimeoutMs };
  return (
    <OAuthLoginProvider respond={flow.respond} {...timeout}>
      <EmailPasswordAuthProvider respond={flow.respond} {...timeout}>
        {onOAuthLogin && <AttachOAuth handler={onOAuthLogin} />}
        {onEmailPasswordAuth && <AttachEmailPassword handler={onEmailPasswordAuth} />}
        {children}
      </EmailPasswordAuthProvider>
    </OAuthLoginProvider>
  );
}

function AttachOAuth({ handler }: { handler: OAuthLoginHandler }) {
  const { attach } = useOAuthLogin();
  useEffect(() => attach(handler), [attach, handler]);
  return null;
}

function AttachEmailPassword({ handler }: { handler: EmailPasswordAuthHandler }) {
  const { attach } = useEmailPasswordAuth();
  useEffect(() => attach(handler), [attach, handler]);
  return null;
}
