import type {
  CommonStyle,
  CustomOauthProviderLayer,
  OauthLoginLayer,
  OauthProviderLayer,
  PresetOauthProviderLayer,
} from '@svc/core';
import { localize, OAUTH_BRANDS, renderTemplate, responsiveLayout } from '@svc/core/internal';
import { OAuthRowsContext, useAxis, useLayerStyle, useOAuthRows, useRender } from '@svc/react-core';
import { useContext, useId } from 'react';
import { Box, layerOpacity } from '../renderer/box';
import { boxCss } from '../style/box-css';
import { flexCss } from '../style/flex-css';
import { ButtonBox, Spinner } from './button-box';
import { Children } from './children';
import { Glyph } from './icon';
import { FieldMessage } from './input-column';

const DEFAULT_GAP = 8;

export function OauthLoginView({ layer }: { layer: OauthLoginLayer }) {
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer);
  const id = useId();
  const rows = useOAuthRows(layer);
  const { gap, align } = responsiveLayout(
    { gap: layer.gap ?? DEFAULT_GAP, align: layer.align ?? ('start' as const) },
    layer.authLayoutBreakpoints,
    context.width,
  );
  return (
    <OAuthRowsContext.Provider value={rows}>
      <Box
        layer={layer}
        role="group"
        aria-busy={rows.pending !== null}
        opacity={layerOpacity(style)}
        css={{
          position: 'relative',
          ...flexCss({ direction: 'vertical', gap, align }),
          ...boxCss(style, axis, context),
        }}
      >
        <Children layers={layer.children} axis="vertical" />
        <FieldMessage id={`${id}-problem`} text={rows.failed ? context.copy.authFailed : null} />
      </Box>
    </OAuthRowsContext.Provider>
  );
}

export function OauthProviderView({ layer }: { layer: OauthProviderLayer }) {
  return layer.variant === 'preset' ? <PresetRow layer={layer} /> : <CustomRow layer={layer} />;
}

function CustomRow({ layer }: { layer: CustomOauthProviderLayer }) {
  const { pending, choose } = useContext(OAuthRowsContext);
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
  const { pending, choose } = useContext(OAuthRowsContext);
  const { palette, manifest, responses, customProperties, locale, interactive } = context;
  const brand = OAUTH_BRANDS[layer.provider];
  const text = layer.label ? localize(layer.label, context) : brand.copy;
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
