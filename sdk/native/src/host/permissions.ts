import type { PermissionOutcome } from '@svc/core';
import { Platform } from 'react-native';
import { loadPermissions } from './optional-modules';

interface PermissionsModule {
  request(permission: string): Promise<string>;
  requestNotifications(options: readonly string[]): Promise<{ status: string }>;
}

/** First Android version, by API level, that asks for images apart from other files. */
const ANDROID_WITH_MEDIA_PERMISSIONS = 33;

const IOS: Readonly<Record<string, string>> = {
  camera: 'CAMERA',
  microphone: 'MICROPHONE',
  photo_library: 'PHOTO_LIBRARY',
  contacts: 'CONTACTS',
  calendar: 'CALENDARS',
};
const ANDROID: Readonly<Record<string, string>> = {
  camera: 'CAMERA',
  microphone: 'RECORD_AUDIO',
  photo_library: 'READ_MEDIA_IMAGES',
  contacts: 'READ_CONTACTS',
  calendar: 'READ_CALENDAR',
};

function systemPermission(key: string): string | undefined {
  const names = Platform.OS === 'ios' ? IOS : Platform.OS === 'android' ? ANDROID : {};
  const name = Object.prototype.hasOwnProperty.call(names, key) ? names[key] : undefined;
  if (name === undefined) return undefined;
  if (name === 'READ_MEDIA_IMAGES' && Number(Platform.Version) < ANDROID_WITH_MEDIA_PERMISSIONS) {
    return 'android.permission.READ_EXTERNAL_STORAGE';
  }
  return `${Platform.OS}.permission.${name}`;
}

/** The outcome that a status of react-native-permissions amounts to (runtime.md §8). */
export function permissionOutcome(status: unknown): PermissionOutcome {
  if (status === 'granted' || status === 'limited') return 'granted';
  return status === 'blocked' || status === 'unavailable' ? 'blocked' : 'denied';
}

/**
 * Asks the system for a permission by its key in the manifest. Never rejects: without native set-up, and for keys
 * that the system does not know, the answer is `denied`.
 */
export async function requestPermission(key: string): Promise<PermissionOutcome> {
  try {
    const permissions = loadPermissions() as PermissionsModule | null;
    if (!permissions) return 'denied';
    if (key === 'notifications') {
      const { status } = await permissions.requestNotifications(['alert', 'badge', 'sound']);
      return permissionOutcome(status);
    }
    const permission = systemPermission(key);
    return permission === undefined ? 'denied' : permissionOutcome(await permissions.request(permission));
  } catch {
    return 'denied';
  }
}
