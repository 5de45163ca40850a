import { type CSSProperties, type KeyboardEvent, type PointerEvent, useState } from 'react';
import { NumberInput } from '../controls/NumberInput';
import styles from './Color.module.css';
import { type Hsv, hexOf, hexTyped, hsvOf, readColor } from './hsv';

type Props = {
  color: string;
  change: (hex: string) => void;
  /** Called where a drag or a run of keys begins and ends: what is between is one undo. */
  settle: () => void;
};

const percent = (share: number) => Math.round(share * 100);
const share = (number: number) => Math.min(1, Math.max(0, number));

/** Any color: by saturation and brightness on an area, hue, opacity, and as hex. */
export function Picker({ color, change, settle }: Props) {
  const [kept, keep] = useState<Hsv>();
  const read = hsvOf(readColor(color) ?? { r: 0, g: 0, b: 0, a: 1 });
  // A grey has no hue and black no saturation: those that were chosen last stay.
  const hsv = kept && hexOf(kept) === hexOf(read) ? kept : read;
  const set = (part: Partial<Hsv>) => {
    const to = { ...hsv, ...part };
    keep(to);
    change(hexOf(to));
  };
  const variables = {
    '--hue': `hsl(${hsv.h} 100% 50%)`,
    '--solid': hexOf({ ...hsv, a: 1 }),
    '--x': `${hsv.s * 100}%`,
    '--y': `${100 - hsv.v * 100}%`,
  } as CSSProperties;
  return (
    <fieldset
      className={styles.pick}
      aria-label="Color"
      style={variables}
      dir="ltr"
      onPointerDown={settle}
      onPointerUp={settle}
      onBlur={settle}
    >
      <Area hsv={hsv} set={set} />
      <input
        type="range"
        className={styles.hue}
        aria-label="Hue"
        aria-valuetext={`${Math.round(hsv.h)}°`}
        max={359}
        value={Math.round(hsv.h)}
        onChange={({ target }) => set({ h: Number(target.value) })}
      />
      <input
        type="range"
        className={styles.alpha}
        aria-label="Opacity"
        aria-valuetext={`${percent(hsv.a)} %`}
        value={percent(hsv.a)}
        onChange={({ target }) => set({ a: Number(target.value) / 100 })}
      />
      <span className={styles.code}>
        <Hex
          value={hexOf({ ...hsv, a: 1 })}
          change={(hex) => set({ ...hsvOf(readColor(hex)!), ...(hex.length < 9 && { a: hsv.a }) })}
        />
        <NumberInput
          label="Opacity in percent"
          mark="%"
          value={percent(hsv.a)}
          min={0}
          max={100}
          change={(to) => set({ a: (to ?? 100) / 100 })}
        />
      </span>
    </fieldset>
  );
}

/** Saturation from left to right, brightness from below: a slider of two dimensions. */
function Area({ hsv: { s, v }, set }: { hsv: Hsv; set: (part: Partial<Hsv>) => void }) {
  const point = ({ currentTarget, clientX, clientY, buttons }: PointerEvent) => {
    if (buttons !== 1) return;
    const { left, top, width, height } = currentTarget.getBoundingClientRect();
    set({ s: share((clientX - left) / width), v: 1 - share((clientY - top) / height) });
  };
  const press = (event: KeyboardEvent) => {
    const by = event.shiftKey ? 0.1 : 0.01;
    const to = {
      ArrowLeft: { s: share(s - by) },
      ArrowRight: { s: share(s + by) },
      ArrowDown: { v: share(v - by) },
      ArrowUp: { v: share(v + by) },
      PageDown: { v: share(v - 0.1) },
      PageUp: { v: share(v + 0.1) },
      Home: { s: 0 },
      End: { s: 1 },
    }[event.key];
    if (!to) return;
    event.preventDefault();
    set(to);
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      className={styles.area}
      aria-label="Saturation and brightness"
      aria-valuenow={percent(s)}
      aria-valuetext={`Saturation ${percent(s)} %, brightness ${percent(v)} %`}
      onKeyDown={press}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        point(event);
      }}
      onPointerMove={point}
    >
      <span />
    </div>
  );
}

function Hex({ value, change }: { value: string; change: (hex: string) => void }) {
  const [typed, setTyped] = useState<string>();
  const commit = () => {
    const hex = typed === undefined ? undefined : hexTyped(typed);
    if (hex && hex !== value) change(hex);
    setTyped(undefined);
  };
  return (
    <input
      className={styles.hex}
      aria-label="Hex"
      aria-invalid={typed !== undefined && !hexTyped(typed)}
      spellCheck={false}
      maxLength={32}
      value={typed ?? value}
      onChange={({ target }) => setTyped(target.value)}
      onFocus={({ target }) => target.select()}
      onBlur={commit}
      onKeyDown={({ key }) => key === 'Enter' && commit()}
    />
  );
}
