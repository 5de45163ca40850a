import type { FlowManifest, StepResponse } from '@svc/core';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { AuthBroker, type AuthHandler } from './auth-broker';

export interface EmailPasswordAuthResult {
  success: boolean;
  error?: string;
}

/** The password goes to the handler and nowhere else: no state, no storage, no event ever holds it. */
export interface EmailPasswordAuthRequest {
  manifest: FlowManifest;
  screenId: string;
  layerId: string;
  fieldKey: string;
  mode: 'sign_in' | 'sign_up';
  email: string;
  password: string;
  confirmPassword?: string;
}

/** Signs a person in or up and then calls `resolve` once. */
export type EmailPasswordAuthHandler = AuthHandler<EmailPasswordAuthRequest, EmailPasswordAuthResult>;

interface EmailPasswordAuthValue {
  broker: AuthBroker<EmailPasswordAuthRequest, EmailPasswordAuthResult>;
  respond: ((response: StepResponse) => void) | undefined;
  timeoutMs: number | undefined;
}

const EmailPasswordAuthContext = /* @__PURE__ */ createContext<EmailPasswordAuthValue | null>(null);

export interface EmailPasswordAuthProviderProps {
  /** Takes the outcome; usually `respond` of `useFlow`. Default: the renderer that asked. */
  respond?: (response: StepResponse) => void;
  /** Milliseconds after which a request counts as failed. Default: never. */
  timeoutMs?: number;
  children?: ReactNode;
}

/** Lets hosts answer the `email_password_auth` layers below it, through {@link useEmailPasswordAuth}. */
export function EmailPasswordAuthProvider({ respond, timeoutMs, children }: EmailPasswordAuthProviderProps) {
  const parent = useContext(EmailPasswordAuthContext);
  const outer = parent?.broker ?? null;
  const broker = useMemo(
    () =>
      new AuthBroker<EmailPasswordAuthRequest, EmailPasswordAuthResult>(outer, (error) => ({ success: false, error })),
    [outer],
  );
  const value = useMemo(
    () => ({ broker, respond, timeoutMs: timeoutMs ?? parent?.timeoutMs }),
    [broker, respond, timeoutMs, parent?.timeoutMs],
  );
  return <EmailPasswordAuthContext.Provider value={value}>{children}</EmailPasswordAuthContext.Provider>;
}

export interface EmailPasswordAuthControls {
  /** Attaches the handler of submitted credentials and returns its removal; the last one attached answers. */
  attach: (handler: EmailPasswordAuthHandler) => () => void;
}

/** Controls of the nearest `EmailPasswordAuthProvider`. Throws outside of one. */
export function useEmailPasswordAuth(): EmailPasswordAuthControls {
  const value = useContext(EmailPasswordAuthContext);
  if (!value) throw new Error('useEmailPasswordAuth needs an EmailPasswordAuthProvider around it.');
  const { broker } = value;
  return useMemo(() => ({ attach: (handler) => broker.attach(handler) }), [broker]);
}

/** What sign-in forms ask; null without a provider in the tree. */
export function useEmailPasswordRequests(): EmailPasswordAuthValue | null {
  return useContext(EmailPasswordAuthContext);
}
