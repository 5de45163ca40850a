import type { PermissionOutcome } from '@svc/core';
import type { PlatformActions } from '@svc/react-core';

/**
 * Asks the browser for a permission. Notifications have a prompt; everything else counts as denied on the web
 * (runtime.md §8). Never throws.
 */
async function requestWebPermission(key: string): Promise<PermissionOutcome> {
  if (key !== 'notifications' || typeof Notification === 'undefined') return 'denied';
  // A browser that was told no does not ask again.
  if (Notification.permission === 'denied') return 'blocked';
  try {
    return (await Notification.requestPermission()) === 'granted' ? 'granted' : 'denied';
  } catch {
    return 'denied';
  }
}

/** What buttons can ask of a browser; there are no review prompts. */
export const WEB_ACTIONS: PlatformActions = { requestPermission: requestWebPermission };
