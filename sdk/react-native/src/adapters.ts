import { getSdkLogger, type NativeAdapters } from '@svc/native/sdk';
import { Film } from './film';
import { loadInAppReview } from './modules';

let told = false;

export const BARE_ADAPTERS: NativeAdapters = {
  flavour: '@svc/react-native',
  Film,
  review: {
    requestReview: async () => {
      const module = loadInAppReview();
      if (!module?.isAvailable()) return { shown: false };
      await module.RequestInAppReview();
      return { shown: true };
    },
  },
  fonts: {
    // Nothing can be loaded at run time: texts ask for the names, which the app may have linked files under.
    loadFonts: async (fonts) => {
      if (told) return;
      told = true;
      getSdkLogger().debug('fonts have to be linked, or loaded by the fontLoader of SvcProvider', Object.keys(fonts));
    },
  },
};
