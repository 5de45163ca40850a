import { isObject } from '../../document/canonical';
import type { Json } from '../../document/operation';
import styles from '../Inspector.module.css';
import { NumberInput } from './NumberInput';

const sides = [
  ['t', 'Top'],
  ['r', 'Right'],
  ['b', 'Bottom'],
  ['l', 'Left'],
] as const;

type Props = {
  label: string;
  value: Json | undefined;
  /** The sides that differ among several layers. */
  mixed: string;
  change: (side: string, value: number | undefined) => void;
};

/** The four distances of a box. */
export function SpacingInput({ label, value, mixed, change }: Props) {
  return (
    <span className={styles.sides}>
      {sides.map(([side, name]) => {
        const own = isObject(value) ? value[side] : undefined;
        return (
          <NumberInput
            key={side}
            label={`${label}: ${name.toLowerCase()}`}
            mark={name[0]!}
            value={typeof own === 'number' ? own : undefined}
            fallback={mixed.includes(side) ? 'Mixed' : '0'}
            min={0}
            change={(value) => change(side, value)}
          />
        );
      })}
    </span>
  );
}
