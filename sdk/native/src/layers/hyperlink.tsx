import type { HyperlinkLayer } from '@svc/core';
import { responsiveLayout } from '@svc/core/internal';
import { safeHref, useLayerStyle, useRender } from '@svc/react-core';
import { Linking } from 'react-native';
import { PressBox } from '../renderer/press-box';
import { useSurround } from '../renderer/surround-context';
import { flexStyle } from '../style/flex-style';
import { hugsItsContent } from '../style/surround';
import { Children } from './children';

export function HyperlinkView({ layer }: { layer: HyperlinkLayer }) {
  const { width, openLink } = useRender();
  const surround = useSurround();
  const authored = useLayerStyle(layer);
  // Hugs its words unless its author says otherwise.
  const style = surround.axis === 'vertical' ? { width: 'auto' as const, ...authored } : authored;
  const { align, distribution, wrap } = layer;
  const { direction, gap } = responsiveLayout(
    { direction: layer.direction ?? ('horizontal' as const), gap: layer.gap ?? 0 },
    layer.hyperlinkLayoutBreakpoints,
    width,
  );
  const href = safeHref(layer.href);
  const open = (address: string) => {
    // A phone without a mail app can't open every address, and there is nothing else to do about it.
    Linking.openURL(address).catch(() => undefined);
    openLink(layer.id, address);
  };
  return (
    <PressBox
      role="link"
      layer={layer}
      look={style}
      layout={flexStyle({ direction, gap, align, distribution, wrap })}
      faded={false}
      held={href === undefined}
      onPress={href === undefined ? undefined : () => open(href)}
    >
      <Children layers={layer.children} axis={direction} align={align} hugs={hugsItsContent(style, surround)} />
    </PressBox>
  );
}
