import type { Layer, LayerKind } from '@svc/core';
import type { ComponentType } from 'react';
import { BackButtonView, ButtonView } from './button';
import { CarouselView } from './carousel';
import { ConditionalView } from './conditional';
import { CounterView } from './counter';
import { HyperlinkView } from './hyperlink';
import { IconView } from './icon';
import { ImageView } from './image';
import { LoaderView } from './loader';
import { LottieView } from './lottie';
import { ProgressView } from './progress';
import { StackView } from './stack';
import { TextView } from './text';
import { VideoView } from './video';

/** The component of every kind of layer. */
type LayerViews = { [K in LayerKind]: ComponentType<{ layer: Extract<Layer, { kind: K }> }> };

const VIEWS: Partial<LayerViews> = {
  stack: StackView,
  text: TextView,
  hyperlink: HyperlinkView,
  image: ImageView,
  lottie: LottieView,
  video: VideoView,
  icon: IconView,
  progress: ProgressView,
  loader: LoaderView,
  counter: CounterView,
  carousel: CarouselView,
  conditional: ConditionalView,
  button: ButtonView,
  back_button: BackButtonView,
};

/** Draws one layer of any kind. A kind of a later version draws nothing. */
export function LayerView({ layer }: { layer: Layer }) {
  const View = VIEWS[layer.kind] as ComponentType<{ layer: Layer }> | undefined;
  return View ? <View layer={layer} /> : null;
}
