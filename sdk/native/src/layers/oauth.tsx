import type {
  CommonStyle,
  CustomOauthProviderLayer,
  OauthLoginLayer,
  OauthProviderLayer,
  PresetOauthProviderLayer,
} from '@svc/core';
import { localize, OAUTH_BRANDS, renderTemplate, responsiveLayout } from '@svc/core/internal';
import { OAuthRowsContext, useLayerStyle, useOAuthRows, useRender } from '@svc/react-core';
import { useContext } from 'react';
import { Box } from '../renderer/box';
import { PressBox } from '../renderer/press-box';
import { Words } from '../renderer/words';
import { flexStyle } from '../style/flex-style';
import { ButtonBox, Spinner } from './button-box';
import { Children } from './children';
import { Glyph } from './icon';
import { FieldMessage } from './input-column';

const DEFAULT_GAP = 8;

export function OauthLoginView({ layer }: { layer: OauthLoginLayer }) {
  const { width, copy } = useRender();
  const style = useLayerStyle(layer);
  const rows = useOAuthRows(layer);
  const { gap, align } = responsiveLayout(
    { gap: layer.gap ?? DEFAULT_GAP, align: layer.align ?? ('start' as const) },
    layer.authLayoutBreakpoints,
    width,
  );
  return (
    <OAuthRowsContext.Provider value={rows}>
      <Box
        layer={layer}
        role="group"
        aria-busy={rows.pending !== null}
        look={style}
        layout={flexStyle({ direction: 'vertical', gap, align })}
      >
        <Children layers={layer.children} axis="vertical" align={align} />
        <FieldMessage text={rows.failed ? copy.authFailed : null} />
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

/** Looks that the brands ask for; authors may set the size and the corners. */
const CHROME: CommonStyle = { padding: { t: 12, b: 12, l: 16, r: 16 }, radius: 10 };
const LOGO_SIZE = 18;
const FONT = { fontSize: 15, fontWeight: 600 };

function PresetRow({ layer }: { layer: PresetOauthProviderLayer }) {
  const context = useRender();
  const { palette, manifest, responses, customProperties, locale } = context;
  const style = useLayerStyle(layer as PresetOauthProviderLayer & { style?: CommonStyle });
  const { pending, choose } = useContext(OAuthRowsContext);
  const brand = OAUTH_BRANDS[layer.provider];
  const text = layer.label ? localize(layer.label, context) : brand.copy;
  const color = brand.label[palette];
  const border = brand.border?.[palette];
  const busy = pending === layer.id;
  const look: CommonStyle = {
    ...CHROME,
    ...style,
    background: brand.background[palette],
    ...(border ? { border: { width: 1, color: border } } : {}),
  };
  return (
    <PressBox
      layer={layer}
      role="button"
      disabled={pending !== null}
      aria-busy={busy}
      onPress={() => choose(layer)}
      look={look}
      layout={flexStyle({ direction: 'horizontal', gap: DEFAULT_GAP, align: 'center', distribution: 'center' })}
    >
      {busy ? <Spinner color={color} /> : <Glyph name={brand.icon} size={LOGO_SIZE} color={color} />}
      <Words
        text={renderTemplate(text, { manifest, responses, customProperties, locale })}
        style={{ ...FONT, color }}
      />
    </PressBox>
  );
}
