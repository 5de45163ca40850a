import { Popover } from '@mantine/core';
import { type CSSProperties, useId, useState } from 'react';
import { wordsOf } from '../../labels';
import styles from './Easing.module.css';
import { curveOf, type Easing, easings } from './easing';

type Props = { label: string; value: string | undefined; change: (easing: Easing | undefined) => void };

const names = Object.keys(easings) as Easing[];

/** How a value goes to the next, as the curve that it draws over time; linear where nothing is set. */
export function EasingInput({ label, value, change }: Props) {
  const [opened, open] = useState(false);
  const name = useId();
  const shown = value === undefined ? 'linear' : names.find((one) => one === value);
  const words = shown ? wordsOf(shown) : 'Missing';
  return (
    <Popover opened={opened} onChange={open} position="bottom-end" withinPortal trapFocus returnFocus withRoles={false}>
      <Popover.Target>
        <button
          type="button"
          className={styles.field}
          aria-label={`${label}: ${words}`}
          aria-haspopup="dialog"
          aria-expanded={opened}
          onClick={() => open(!opened)}
        >
          <Curve easing={shown} side={16} />
          <span>{words}</span>
        </button>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={label}>
        <div role="radiogroup" aria-label={label} className={styles.choices}>
          {names.map((easing) => (
            <label key={easing}>
              <input
                type="radio"
                name={name}
                checked={easing === shown}
                data-autofocus={easing === (shown ?? 'linear') || undefined}
                onChange={() => change(easing === 'linear' ? undefined : easing)}
                onClick={({ detail }) => detail > 1 && open(false)}
                onKeyDown={({ key }) => key === 'Enter' && open(false)}
              />
              <Curve easing={easing} side={56} />
              <span>{wordsOf(easing)}</span>
              <i style={{ '--curve': `cubic-bezier(${easings[easing]})` } as CSSProperties} aria-hidden="true" />
            </label>
          ))}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

function Curve({ easing, side }: { easing: Easing | undefined; side: number }) {
  return (
    <svg aria-hidden="true" viewBox={`-2 -2 ${side + 4} ${side + 4}`} width={side + 4} height={side + 4}>
      {easing && <path d={curveOf(easing, side)} />}
    </svg>
  );
}
