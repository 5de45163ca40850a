import {
  type CommonStyle,
  type CustomOauthProviderLayer,
  childLayers,
  type Layer,
  localize,
  OAUTH_BRANDS,
  type OAuthProviderPayload,
  type OauthLoginLayer,
  type OauthProviderLayer,
  type PresetOauthProviderLayer,
  renderTemplate,
  responsiveLayout,
  walkLayers,
} from '@svc/core';
import { createContext, useContext, useEffect, useId, useRef, useState } from 'react';
import { useOAuthRequests } from '../auth/oauth';
import { Box, layerOpacity } from '../renderer/box';
import { useAxis, useRender } from '../renderer/render-context';
import { useLayerStyle } from '../renderer/use-layer-style';
import { boxCss } from '../style/box-css';
import { flexCss } from '../style/flex-css';
import { ButtonBox, Spinner } from './button-box';
import { Children } from './children';
import { Glyph } from './icon';
import { FieldMessage } from './input-column';

const DEFAULT_GAP = 8;

interface Rows {
  /** The row that waits for its answer; all rows are disabled meanwhile. */
  pending: string | null;
  choose(row: OauthProviderLayer): void;
}
const RowsContext = createContext<Rows>({ pending: null, choose: () => undefined });

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

export function OauthLoginView({ layer }: { layer: OauthLoginLayer }) {
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer);
  const requests = useOAuthRequests();
  const id = useId();
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

  const { gap, align } = responsiveLayout(
    { gap: layer.gap ?? DEFAULT_GAP, align: layer.align ?? ('start' as const) },
    layer.authLayoutBreakpoints,
    context.width,
  );
  return (
    <RowsContext.Provider value={{ pending, choose: (row) => void choose(row) }}>
      <Box
        layer={layer}
        role="group"
        aria-busy={pending !== null}
        opacity={layerOpacity(style)}
        css={{
          position: 'relative',
          ...flexCss({ direction: 'vertical', gap, align }),
          ...boxCss(style, axis, context),
        }}
      >
        <Children layers={layer.children} axis="vertical" />
        <FieldMessage id={`${id}-problem`} text={failed ? context.copy.authFailed : null} />
      </Box>
    </RowsContext.Provider>
  );
}

export function OauthProviderView({ layer }: { layer: OauthProviderLayer }) {
  return layer.variant === 'preset' ? <PresetRow layer={layer} /> : <CustomRow layer={layer} />;
}

function CustomRow({ layer }: { layer: CustomOauthProviderLayer }) {
  const { pending, choose } = useContext(RowsContext);
  return (
    <ButtonBox
      layer={layer}
      variant={layer.buttonVariant}
      disabled={pending !== null}
      busy={pending === layer.id}
      onPress={() => choose(layer)}
    />
  );
}

const PRESET_CHROME: CommonStyle = { padding: { t: 10, b: 10, l: 14, r: 14 }, radius: 10 };
const LOGO_SIZE = 18;

function PresetRow({ layer }: { layer: PresetOauthProviderLayer }) {
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer as PresetOauthProviderLayer & { style?: CommonStyle });
  const { pending, choose } = useContext(RowsContext);
  const { palette, manifest, responses, customProperties, locale, interactive } = context;
  const brand = OAUTH_BRANDS[layer.provider];
  const text = layer.label ? localize(layer.label, locale) : brand.copy;
  const border = brand.border?.[palette];
  return (
    <Box
      as="button"
      type="button"
      className="svc-press"
      layer={layer}
      disabled={pending !== null}
      aria-busy={pending === layer.id || undefined}
      onClick={() => interactive && choose(layer)}
      opacity={layerOpacity({}, pending !== null)}
      css={{
        ...flexCss({ direction: 'horizontal', gap: DEFAULT_GAP, align: 'center', distribution: 'center' }),
        fontSize: 15,
        fontWeight: 600,
        color: brand.label[palette],
        ...boxCss({ ...PRESET_CHROME, ...style }, axis, context),
        backgroundColor: brand.background[palette],
        ...(border ? { border: `1px solid ${border}` } : {}),
      }}
    >
      {pending === layer.id ? <Spinner /> : <Glyph name={brand.icon} size={LOGO_SIZE} />}
      <span>{renderTemplate(text, { manifest, responses, customProperties, locale })}</span>
    </Box>
  );
}
