import type { Fit } from '@svc/core';
import { Image, type ImageStyle, type StyleProp, StyleSheet, View } from 'react-native';
import { SvgUri } from 'react-native-svg';

const RESIZE = { cover: 'cover', contain: 'contain', fill: 'stretch' } as const;
const ASPECT = { cover: 'xMidYMid slice', contain: 'xMidYMid meet', fill: 'none' } as const;

/** Whether an address is that of a drawing, which images on phones can't show. */
export function isDrawing(url: string): boolean {
  return /^data:image\/svg\+xml/i.test(url) || /\.svg$/i.test(url.split(/[?#]/)[0] ?? '');
}

interface PictureProps {
  url: string;
  fit: Fit;
  /** Where and how large; default: it fills the box around it. */
  style?: StyleProp<ImageStyle>;
}

/** A picture or a drawing by its address. The box around it names it to screen readers. */
export function Picture({ url, fit, style = StyleSheet.absoluteFill }: PictureProps) {
  if (!isDrawing(url)) return <Image source={{ uri: url }} resizeMode={RESIZE[fit]} style={style} aria-hidden />;
  return (
    <View style={style} aria-hidden>
      <SvgUri uri={url} width="100%" height="100%" preserveAspectRatio={ASPECT[fit]} onError={() => undefined} />
    </View>
  );
}
