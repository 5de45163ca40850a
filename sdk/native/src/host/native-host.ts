import { DeviceStorage } from './device-storage';
import { PreloadedStore } from './preloaded-store';

/** The device's storage, which all providers of an app share. Nothing is read before it is needed. */
export const deviceStorage = new DeviceStorage();

/** The small values of the device. */
export const deviceStore = new PreloadedStore(deviceStorage);
