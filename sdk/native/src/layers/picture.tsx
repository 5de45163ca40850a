import type { Fit } from '@svc/core';
import { Image, type ImageStyle, type StyleProp, StyleSheet, View } from 'react-native';
import { Drawing, isDrawing, useDrawing } from './drawing';

const RESIZE = { cover: 'cover', contain: 'contain', fill: 'stretch' } as const;

interface PictureProps {
  url: string;
  fit: Fit;
  /** Where and how large; default: it fills the box around it. */
  style?: StyleProp<ImageStyle>;
}

/** A picture or a drawing by its address. The box around it names it to screen readers. */
export function Picture({ url, fit, style = StyleSheet.absoluteFill }: PictureProps) {
  const xml = useDrawing(isDrawing(url) ? url : undefined);
  if (!isDrawing(url)) return <Image source={{ uri: url }} resizeMode={RESIZE[fit]} style={style} aria-hidden />;
  return (
    <View style={style} aria-hidden>
      {xml !== null && <Drawing xml={xml} fit={fit} />}
    </View>
  );
}
