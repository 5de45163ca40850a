import type { Size } from '../canvas/board';
import { NumberInput } from '../inspector/controls/NumberInput';
import { type Device, keepOwn, sides } from './devices';
import styles from './Edit.module.css';

/** The width and height, in CSS pixels, that somebody gives the screens, kept for the next time. */
export function OwnSize({ size, setDevice }: { size: Size; setDevice: (device: Device) => void }) {
  const side = (label: string, mark: string, name: keyof Size) => (
    <NumberInput
      label={label}
      mark={mark}
      value={size[name]}
      {...sides}
      change={(value) => value !== undefined && setDevice(keepOwn({ ...size, [name]: value }))}
    />
  );
  return (
    <span className={styles.size}>
      {side('Width of the screens', 'W', 'width')}
      {side('Height of the screens', 'H', 'height')}
    </span>
  );
}
