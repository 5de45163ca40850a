import type { CommonStyle } from '@svc/core';
import { mergeStyle, responsiveStyle } from '@svc/core/internal';
import { useRender, useSelected } from './render-context';

interface StyledLayer<S extends CommonStyle> {
  style?: S;
  styleBreakpoints?: Partial<Record<'sm' | 'md' | 'lg' | 'xl' | '2xl', S>>;
  selectedStyle?: S;
  selectedStyleBreakpoints?: Partial<Record<'sm' | 'md' | 'lg' | 'xl' | '2xl', S>>;
}

/** The style of a layer at the present width, with its selected style over it inside a chosen option. */
export function useLayerStyle<S extends CommonStyle>(layer: StyledLayer<S>): S {
  const { width } = useRender();
  const selected = useSelected();
  const style = responsiveStyle(layer.style, layer.styleBreakpoints, width);
  if (!selected || !layer.selectedStyle) return style;
  return mergeStyle(style, responsiveStyle(layer.selectedStyle, layer.selectedStyleBreakpoints, width));
}
