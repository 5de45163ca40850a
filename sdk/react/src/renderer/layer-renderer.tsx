import { type BaseRendererProps, useScreenInput } from '@svc/react-core';
import type { CSSProperties } from 'react';
import { ScreenView } from './screen-view';

export interface LayerRendererProps extends BaseRendererProps {
  className?: string;
  style?: CSSProperties;
  /** Nonce of the page's Content-Security-Policy for the style elements. Default: that of `SvcProvider`. */
  nonce?: string;
}

/** Draws one screen of a flow. Needs no provider and no network. */
export function LayerRenderer(props: LayerRendererProps) {
  const { key, input } = useScreenInput(props, 'web');
  return <ScreenView key={key} input={input} className={props.className} style={props.style} nonce={props.nonce} />;
}
