import { type KeyboardEvent, useState } from 'react';
import styles from '../Inspector.module.css';
import { calculate } from './calculate';

type Props = {
  id?: string;
  label?: string;
  /** In front of it: a letter for its side. */
  mark?: string;
  value: number | undefined;
  /** What holds without a value of its own. */
  fallback?: string;
  min?: number | undefined;
  max?: number | undefined;
  step?: number;
  change: (value: number | undefined) => void;
};

/** A number that takes arithmetic; arrows go one step, ten with Shift. Nothing in it means none. */
export function NumberInput({ id, label, mark, value, fallback = '', min, max, step = 1, change }: Props) {
  const [typed, setTyped] = useState<string>();
  const limited = (number: number) => {
    const whole = step >= 1 ? Math.round(number) : Math.round(number * 1000) / 1000;
    return Math.min(max ?? whole, Math.max(min ?? whole, whole));
  };
  const commit = () => {
    if (typed === undefined) return;
    setTyped(undefined);
    if (typed.trim() === '') return change(undefined);
    const number = calculate(typed);
    if (number !== undefined && limited(number) !== value) change(limited(number));
  };
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter') return commit();
    if (event.key === 'Escape') return setTyped(undefined);
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    const now = (typed === undefined ? value : calculate(typed)) ?? (Number.parseFloat(fallback) || 0);
    const by = step * (event.shiftKey ? 10 : 1) * (event.key === 'ArrowUp' ? 1 : -1);
    setTyped(undefined);
    change(limited(now + by));
  };
  return (
    <span className={styles.number}>
      {mark && <span aria-hidden="true">{mark}</span>}
      <input
        id={id}
        aria-label={label}
        inputMode="decimal"
        value={typed ?? value ?? ''}
        placeholder={fallback}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={commit}
        onKeyDown={press}
      />
    </span>
  );
}
