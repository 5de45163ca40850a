import type { Json } from '../../document/operation';
import styles from '../Inspector.module.css';
import { NumberInput } from './NumberInput';

const names: Record<string, string> = { auto: 'Hug', full: 'Full', fill: 'Fill' };

type Props = {
  id: string;
  label: string;
  value: Json | undefined;
  words: readonly string[];
  max: number;
  /** What no value means. */
  none: string;
  change: (value: Json | undefined) => void;
};

/** A width or a height: hug, fill, a share of the container, or pixels. */
export function SizeInput({ id, label, value, words, max, none, change }: Props) {
  const fixed = typeof value === 'number';
  return (
    <span className={styles.pair}>
      <select
        id={id}
        value={fixed ? 'fixed' : typeof value === 'string' ? value : ''}
        onChange={({ target }) => {
          if (target.value === 'fixed') change(100);
          else change(target.value || undefined);
        }}
      >
        <option value="">{none}</option>
        {words.map((word) => (
          <option key={word} value={word}>
            {names[word] ?? word}
          </option>
        ))}
        <option value="fixed">Fixed</option>
      </select>
      {fixed && <NumberInput label={`${label} in pixels`} value={value} min={0} max={max} change={change} />}
    </span>
  );
}
