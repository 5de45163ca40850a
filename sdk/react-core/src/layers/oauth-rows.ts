import type { Layer, OAuthProviderPayload, OauthLoginLayer, OauthProviderLayer } from '@svc/core';
import { childLayers, walkLayers } from '@svc/core/internal';
import { createContext, useEffect, useRef, useState } from 'react';
import { useOAuthRequests } from '../auth/oauth';
import { useRender } from '../renderer/render-context';

/** The rows of one sign-in layer. */
export interface OAuthRows {
  /** The row that waits for its answer; all rows are disabled meanwhile. */
  pending: string | null;
  /** Whether the last answer was a failure. */
  failed: boolean;
  choose(row: OauthProviderLayer): void;
}

export const OAuthRowsContext = /* @__PURE__ */ createContext<OAuthRows>({
  pending: null,
  failed: false,
  choose: () => undefined,
});

/** What hosts learn about the row that was tapped (manifest.md §8.14). */
export function providerPayload(row: OauthProviderLayer): OAuthProviderPayload {
  if (row.variant === 'preset') return { type: 'preset', provider: row.provider };
  const inside: Layer[] = [];
  for (const child of childLayers(row)) walkLayers(child, (layer) => inside.push(layer));
  const text = inside.find((layer) => layer.kind === 'text');
  const icon = inside.find((layer) => layer.kind === 'icon');
  return {
    type: 'custom',
    rowId: row.rowId,
    label: text?.kind === 'text' ? text.text : { default: '' },
    family: 'ionicons',
    iconName: icon?.kind === 'icon' ? icon.iconName : 'help-circle-outline',
  };
}

/** Asks the host about the row that is tapped and submits its answer. */
export function useOAuthRows(layer: OauthLoginLayer): OAuthRows {
  const context = useRender();
  const requests = useOAuthRequests();
  const [pending, setPending] = useState<string | null>(null);
  const [failed, setFailed] = useState(false);
  const mounted = useRef(true);
  useEffect(() => {
    mounted.current = true;
    return () => {
      mounted.current = false;
    };
  }, []);

  const choose = async (row: OauthProviderLayer) => {
    if (!context.interactive || pending !== null) return;
    const provider = providerPayload(row);
    setPending(row.id);
    setFailed(false);
    const { manifest, screen } = context;
    const payload = { manifest, screenId: screen.id, layerId: layer.id, provider };
    const result = await (requests?.broker.request(payload, requests.timeoutMs) ??
      Promise.resolve({ success: false, error: 'no_provider' }));
    // The person may have gone back meanwhile: the answer belongs to this screen alone.
    if (!mounted.current) return;
    setPending(null);
    setFailed(!result.success);
    const respond = requests?.respond ?? context.respond;
    respond({ kind: 'oauth_login_resolve', layerId: layer.id, provider, ...result });
  };
  return { pending, failed, choose: (row) => void choose(row) };
}
