import { useState } from 'react';
import type { Operator, Subject } from './operators';
import styles from './Sentences.module.css';
import type { Value } from './sentence';

type Props = {
  operator: Operator;
  value: Value;
  subject: Subject | undefined;
  change: (value: Value, typing?: boolean) => void;
  done: () => void;
};

/** What something is compared with, as the comparison takes it. */
export function ValueInput({ operator, value, subject, change, done }: Props) {
  const options = operator.op === 'contains' ? undefined : subject?.options;
  switch (operator.takes) {
    case 'options':
      return <Options options={options} value={value as readonly string[]} change={change} />;
    case 'number':
      return <NumberField value={value as number} change={change} />;
    case 'yes':
      return (
        <select
          aria-label="Value"
          className={styles.value}
          value={String(value)}
          onChange={({ target }) => change(target.value === 'true')}
        >
          <option value="true">yes</option>
          <option value="false">no</option>
        </select>
      );
    default:
      return options ? (
        <select
          aria-label="Value"
          className={styles.value}
          value={String(value)}
          onChange={({ target }) => change(target.value)}
        >
          {withMissing(options, [String(value)]).map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      ) : (
        <input
          aria-label="Value"
          className={styles.value}
          type={operator.op === 'contains' ? 'text' : (subject?.input ?? 'text')}
          value={String(value)}
          onChange={({ target }) => change(target.value, true)}
          onBlur={done}
        />
      );
  }
}

/** Options with what is chosen but not there any more. */
function withMissing(options: NonNullable<Subject['options']>, chosen: readonly string[]) {
  const missing = chosen.filter((id) => !options.some(({ value }) => value === id));
  return [...options, ...missing.map((value) => ({ value, label: value === '' ? 'Choose' : `${value} (missing)` }))];
}

type OptionsProps = { options: Subject['options']; value: readonly string[]; change: (value: Value) => void };

/** Several options, each of which is pressed or not; one at least stays. Where it is not known which there are, they are
 * typed. */
function Options({ options, value, change }: OptionsProps) {
  const listed = options ? withMissing(options, value) : value.map((value) => ({ value, label: value || '“”' }));
  return (
    <fieldset className={styles.options} aria-label="Values">
      {listed.map((option) => {
        const chosen = value.includes(option.value);
        const order = listed.map((one) => one.value);
        const others = value.filter((id) => id !== option.value);
        return (
          <button
            key={option.value}
            type="button"
            aria-pressed={chosen}
            disabled={chosen && others.length === 0}
            onClick={() =>
              change(chosen ? others : [...value, option.value].toSorted((a, b) => order.indexOf(a) - order.indexOf(b)))
            }
          >
            {option.label}
          </button>
        );
      })}
      {!options && <AddValue add={(text) => change([...value.filter((one) => one !== text && one !== ''), text])} />}
    </fieldset>
  );
}

function AddValue({ add }: { add: (text: string) => void }) {
  const [typed, setTyped] = useState('');
  const commit = () => {
    if (typed.trim() !== '') add(typed.trim());
    setTyped('');
  };
  return (
    <input
      aria-label="Add a value"
      placeholder="Add a value"
      className={styles.value}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={commit}
      onKeyDown={({ key }) => {
        if (key === 'Enter') commit();
        if (key === 'Escape') setTyped('');
      }}
    />
  );
}

function NumberField({ value, change }: { value: number; change: (value: number) => void }) {
  const [typed, setTyped] = useState<string>();
  const commit = () => {
    const number = Number(typed?.trim().replace(',', '.'));
    if (typed !== undefined && typed.trim() !== '' && Number.isFinite(number) && number !== value) change(number);
    setTyped(undefined);
  };
  return (
    <input
      aria-label="Value"
      className={styles.value}
      inputMode="decimal"
      value={typed ?? value}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={commit}
      onKeyDown={({ key }) => {
        if (key === 'Enter') commit();
        if (key === 'Escape') setTyped(undefined);
      }}
    />
  );
}
