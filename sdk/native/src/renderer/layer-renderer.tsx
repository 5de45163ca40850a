import { type BaseRendererProps, useScreenInput } from '@svc/react-core';
import { Platform, type StyleProp, type ViewStyle } from 'react-native';
import { ScreenView } from './screen-view';

export interface LayerRendererProps extends BaseRendererProps {
  style?: StyleProp<ViewStyle>;
}

/** Draws one screen of a flow. Needs no provider and no network. */
export function LayerRenderer({ style, ...props }: LayerRendererProps) {
  const { key, input } = useScreenInput(props, Platform.OS);
  return <ScreenView key={key} input={input} style={style} />;
}
