import type { FlowManifest, OAuthProviderPayload, StepResponse } from '@svc/core';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { AuthBroker, type AuthHandler } from './auth-broker';

export interface OAuthLoginResult {
  success: boolean;
  /** Id of the person at the identity provider or in the host's system. */
  customerExternalId?: string;
  error?: string;
}

export interface OAuthLoginRequest {
  manifest: FlowManifest;
  screenId: string;
  layerId: string;
  provider: OAuthProviderPayload;
}

/** Signs a person in and then calls `resolve` once. The layer never talks to an identity provider itself. */
export type OAuthLoginHandler = AuthHandler<OAuthLoginRequest, OAuthLoginResult>;

interface OAuthLoginValue {
  broker: AuthBroker<OAuthLoginRequest, OAuthLoginResult>;
  respond: ((response: StepResponse) => void) | undefined;
  timeoutMs: number | undefined;
  authenticated: boolean;
  setAuthenticated: (authenticated: boolean) => void;
}

const OAuthLoginContext = /* @__PURE__ */ createContext<OAuthLoginValue | null>(null);

export interface OAuthLoginProviderProps {
  /** Takes the outcome; usually `respond` of `useFlow`. Default: the renderer that asked. */
  respond?: (response: StepResponse) => void;
  /** Milliseconds after which a request counts as failed. Default: never. */
  timeoutMs?: number;
  children?: ReactNode;
}

/** Lets hosts answer the `oauth_login` layers below it, through {@link useOAuthLogin}. */
export function OAuthLoginProvider({ respond, timeoutMs, children }: OAuthLoginProviderProps) {
  const parent = useContext(OAuthLoginContext);
  const [ownAuthenticated, setOwnAuthenticated] = useState(false);
  const outer = parent?.broker ?? null;
  const broker = useMemo(
    () => new AuthBroker<OAuthLoginRequest, OAuthLoginResult>(outer, (error) => ({ success: false, error })),
    [outer],
  );
  const authenticated = parent?.authenticated ?? ownAuthenticated;
  const setAuthenticated = parent?.setAuthenticated ?? setOwnAuthenticated;
  const value = useMemo(
    () => ({ broker, respond, timeoutMs: timeoutMs ?? parent?.timeoutMs, authenticated, setAuthenticated }),
    [broker, respond, timeoutMs, parent?.timeoutMs, authenticated, setAuthenticated],
  );
  return <OAuthLoginContext.Provider value={value}>{children}</OAuthLoginContext.Provider>;
}

export interface OAuthLoginControls {
  /** Attaches the handler of sign-in taps and returns its removal; the last one attached answers. */
  attach: (handler: OAuthLoginHandler) => () => void;
  /** Remembers for the host whether somebody is signed in; nothing else looks at it. */
  setAuthenticated: (authenticated: boolean) => void;
  authenticated: boolean;
}

/** Controls of the nearest `OAuthLoginProvider`, or null outside of one. */
export function useOAuthLoginOptional(): OAuthLoginControls | null {
  const value = useContext(OAuthLoginContext);
  return useMemo(
    () =>
      value && {
        attach: (handler) => value.broker.attach(handler),
        setAuthenticated: value.setAuthenticated,
        authenticated: value.authenticated,
      },
    [value],
  );
}

/** Controls of the nearest `OAuthLoginProvider`. Throws outside of one. */
export function useOAuthLogin(): OAuthLoginControls {
  const controls = useOAuthLoginOptional();
  if (!controls) throw new Error('useOAuthLogin needs an OAuthLoginProvider around it.');
  return controls;
}

/** What sign-in layers ask; null without a provider in the tree. */
export function useOAuthRequests(): OAuthLoginValue | null {
  return useContext(OAuthLoginContext);
}
