import type { NativeAdapters } from '@svc/native/sdk';
import { Film } from './film';
import { loadFont, loadStoreReview } from './modules';

/** Loads each font by itself, so that one bad file takes no other along. */
async function loadFonts(fonts: Readonly<Record<string, string>>): Promise<void> {
  const module = loadFont();
  const results = await Promise.allSettled(
    Object.entries(fonts).map(async ([name, url]) => {
      if (!module) throw new Error('expo-font is not in this build');
      await module.loadAsync({ [name]: url });
    }),
  );
  if (results.length > 0 && results.every(({ status }) => status === 'rejected')) {
    throw new Error('none of the fonts could be loaded');
  }
}

export const EXPO_ADAPTERS: NativeAdapters = {
  flavour: '@svc/expo',
  Film,
  review: {
    requestReview: async () => {
      const module = loadStoreReview();
      if (!(await module?.isAvailableAsync())) return { shown: false };
      await module?.requestReview();
      return { shown: true };
    },
  },
  fonts: { loadFonts },
};
