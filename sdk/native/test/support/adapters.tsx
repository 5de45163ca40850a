import { type ReactElement, useImperativeHandle } from 'react';
import { View } from 'react-native';
import type { FilmProps, NativeAdapters } from '../../src/adapters/adapters';
import { AdaptersContext } from '../../src/adapters/adapters-context';

/** Films that were drawn, with what they were asked, oldest first. */
export const films: FilmProps[] = [];
/** How often a button started a film. */
export const plays: string[] = [];

function Film(props: FilmProps) {
  films.push(props);
  useImperativeHandle(props.handle, () => ({ play: () => plays.push(props.url) }));
  return <View testID="film" />;
}

/** A flavour whose films only take notes. */
export function withFlavour(drawn: ReactElement, extra: Partial<NativeAdapters> = {}): ReactElement {
  const adapters: NativeAdapters = {
    flavour: '@svc/react-native',
    Film,
    review: { requestReview: async () => ({ shown: false }) },
    fonts: null,
    ...extra,
  };
  return <AdaptersContext.Provider value={adapters}>{drawn}</AdaptersContext.Provider>;
}
