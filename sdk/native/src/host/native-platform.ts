import type { FetchInit, FetchResponse, Platform } from '@svc/core';
import { isDevelopmentBuild } from '@svc/react-core';
import type { DeviceStorage } from './device-storage';
import { parseUrl } from './parse-url';
import type { PreloadedStore } from './preloaded-store';
import { randomBytes } from './random';

interface HostGlobals {
  fetch(url: string, init: FetchInit): Promise<FetchResponse>;
  AbortController?: new () => { signal: unknown; abort(): void };
}

/** What core needs, from React Native. */
export function createNativePlatform(store: PreloadedStore, device: DeviceStorage): Platform {
  const host = globalThis as unknown as HostGlobals;
  return {
    randomBytes,
    now: () => Date.now(),
    setTimeout: (callback, ms) => setTimeout(callback, ms),
    clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
    fetch: (url, init) => host.fetch(url, init),
    ...(host.AbortController
      ? {
          createAbort: () => {
            const controller = new (host.AbortController as NonNullable<HostGlobals['AbortController']>)();
            return { signal: controller.signal, abort: () => controller.abort() };
          },
        }
      : {}),
    storage: store,
    cacheStorage: device,
    parseUrl,
    developmentBuild: isDevelopmentBuild(),
    console: globalThis.console,
  };
}
