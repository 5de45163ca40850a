import { Platform } from 'react-native';
import service from 'svc-service';

/** A simulator shares the machine's loopback; Android's emulator reaches the machine by an address of its own. */
function reachable(url: string): string {
  return Platform.OS === 'android' ? url.replace(/\/\/(127\.0\.0\.1|localhost)\b/, '//10.0.2.2') : url;
}

/** The local service: its address as the device sees it, the test environment's key and its channels. */
export const SERVICE = { ...service, apiBaseUrl: reachable(service.apiBaseUrl) };
