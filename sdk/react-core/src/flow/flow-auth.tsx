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
  // A preview signs nobody in: every attempt succeeds, so that the screens behind it can be seen.
  const preview = flow.flow?.preview;
  const oauth: OAuthLoginHandler | undefined = preview ? succeed : onOAuthLogin;
  const emailPassword: EmailPasswordAuthHandler | undefined = preview ? succeed : onEmailPasswordAuth;
  const timeout = authTimeoutMs === undefined ? {} : { timeoutMs: authTimeoutMs };
  return (
    <OAuthLoginProvider respond={flow.respond} {...timeout}>
      <EmailPasswordAuthProvider respond={flow.respond} {...timeout}>
        {oauth && <AttachOAuth handler={oauth} />}
        {emailPassword && <AttachEmailPassword handler={emailPassword} />}
        {children}
      </EmailPasswordAuthProvider>
    </OAuthLoginProvider>
  );
}

const succeed = ({ resolve }: { resolve: (result: { success: boolean }) => void }) => resolve({ success: true });

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
