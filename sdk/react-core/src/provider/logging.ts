import { DEFAULT_SDK_LOG_LEVEL, type Platform, type SdkLogger, type SdkLogLevel } from '@svc/core';
import { createLogger } from '@svc/core/internal';
import { isDevelopmentBuild } from '../host/environment';
import { relay } from './relay';

let registered: SdkLogLevel = DEFAULT_SDK_LOG_LEVEL;

/** Sets the level of providers that name none, and of everything that logs without a provider. */
export function registerSdkLogLevel(level: SdkLogLevel): void {
  registered = level;
}

/** The level of providers that name none. */
export function registeredLogLevel(): SdkLogLevel {
  return registered;
}

/** The level of the mounted provider, else the registered one. */
export function getSdkLogLevel(): SdkLogLevel {
  return relay.attached?.logger.level ?? registered;
}

/** A logger that prints to the console, with the prefix of the SDK. Default level: that of {@link getSdkLogLevel}. */
export function createSdkLogger(level: SdkLogLevel = getSdkLogLevel()): SdkLogger {
  const { console } = globalThis as unknown as Pick<Platform, 'console'>;
  return createLogger({ console, developmentBuild: isDevelopmentBuild() }, level);
}

/** The logger of the mounted provider, else one of the registered level. */
export function getSdkLogger(): SdkLogger {
  return relay.attached?.logger ?? createSdkLogger(registered);
}
