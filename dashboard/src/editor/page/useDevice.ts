import { useCallback, useState } from 'react';
import { type Breakpoint, breakpoints } from '../breakpoints';
import { type Device, devices } from './devices';

const leastOf = (breakpoint: Breakpoint) => breakpoints.find(([name]) => name === breakpoint)![1];

/** What screens are drawn for, and from which width on what is set holds: the canvas is as wide as that at least. */
export function useDevice() {
  const [device, show] = useState<Device>(devices[0]!);
  const [breakpoint, choose] = useState<Breakpoint>();
  const setDevice = useCallback((device: Device) => {
    show(device);
    choose((was) => (was && leastOf(was) <= device.size.width ? was : undefined));
  }, []);
  const setBreakpoint = useCallback((to: Breakpoint | undefined) => {
    choose(to);
    if (!to) return;
    const wide = devices.filter(({ size }) => size.width >= leastOf(to));
    show((was) => (was.size.width >= leastOf(to) ? was : (wide[0] ?? was)));
  }, []);
  return { device, setDevice, breakpoint, setBreakpoint };
}
