import { type KeyboardEvent, useRef, useState } from 'react';
import styles from '../Inspector.module.css';
import { calculate } from './calculate';
import { useScrub } from './useScrub';

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

/** A number that takes arithmetic and shows what it comes to; arrows go one step, ten with Shift, and its name is dragged.
 * Nothing in it means none. */
export function NumberInput({ id, label, mark, value, fallback = '', min, max, step = 1, change }: Props) {
  const [typed, setTyped] = useState<string>();
  const limited = (number: number) => {
    const whole = step >= 1 ? Math.round(number) : Math.round(number * 1000) / 1000;
    return Math.min(max ?? whole, Math.max(min ?? whole, whole));
  };
  const at = () => (typed === undefined ? value : calculate(typed)) ?? (Number.parseFloat(fallback) || 0);
  const input = useRef<HTMLInputElement>(null);
  useScrub(input, {
    begin: at,
    move(from, steps) {
      setTyped(undefined);
      change(limited(from + steps * step));
    },
  });
  const sum = typed !== undefined && /[-+*/(]/.test(typed.trim().slice(1)) ? calculate(typed) : undefined;
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
    const by = step * (event.shiftKey ? 10 : 1) * (event.key === 'ArrowUp' ? 1 : -1);
    setTyped(undefined);
    change(limited(at() + by));
  };
  return (
    <span className={styles.number}>
      {mark && <span aria-hidden="true">{mark}</span>}
      <input
        ref={input}
        id={id}
        aria-label={label}
        inputMode="decimal"
        value={typed ?? value ?? ''}
        placeholder={fallback}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={commit}
        onKeyDown={press}
      />
      <output>{sum !== undefined && `= ${limited(sum)}`}</output>
    </span>
  );
}
