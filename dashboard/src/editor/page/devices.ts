import { ownSize } from '../../app/session/storage';
import type { Size } from '../canvas/board';

export type Device = { id: string; name: string; size: Size };

/** What screens are drawn for, in CSS pixels. */
export const devices: readonly Device[] = [
  { id: 'phone', name: 'Phone', size: { width: 390, height: 844 } },
  { id: 'phone-small', name: 'Small phone', size: { width: 360, height: 640 } },
  { id: 'phone-large', name: 'Large phone', size: { width: 440, height: 956 } },
  { id: 'tablet', name: 'Tablet', size: { width: 820, height: 1180 } },
  { id: 'desktop', name: 'Desktop', size: { width: 1280, height: 800 } },
  { id: 'desktop-large', name: 'Large desktop', size: { width: 1600, height: 900 } },
];

/** The least and the most of a side of one's own size. */
export const sides = { min: 120, max: 4096 };

const own = 'own';

/** The device of the size that was typed last in this browser, which at first is a phone's. */
export function ownDevice(): Device {
  const [width, height] = (ownSize.read() ?? '').split('x').map(Number);
  const isSide = (side: number | undefined) => Number.isInteger(side) && side! >= sides.min && side! <= sides.max;
  const size = isSide(width) && isSide(height) ? { width: width!, height: height! } : devices[0]!.size;
  return { id: own, name: 'Own size', size };
}

/** Keeps a size as one's own. */
export function keepOwn({ width, height }: Size): Device {
  ownSize.write(`${width}x${height}`);
  return ownDevice();
}

export const isOwn = ({ id }: Device) => id === own;

/** All devices to choose from, the own one last. */
export const allDevices = (): readonly Device[] => [...devices, ownDevice()];

export const deviceCalled = (id: string | null): Device | undefined => allDevices().find((one) => one.id === id);
