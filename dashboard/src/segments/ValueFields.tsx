import { Autocomplete, MultiSelect, TagsInput } from '@mantine/core';
import { useState } from 'react';
import type { ConditionOperator, ValueCondition } from '../graphql/schema.gen';
import sentences from '../sentences/Sentences.module.css';
import { withoutValue } from './condition';
import type { Option } from './queries';
import styles from './Segments.module.css';

const inside = { withinPortal: true };

type TextsProps = {
  texts: readonly string[];
  options: readonly Option[];
  /** Whether only options can be chosen. */
  closed?: boolean;
  change: (texts: string[]) => void;
};

/** Alternatives: chosen from what exists, or typed. */
export function Texts({ texts, options, closed = false, change }: TextsProps) {
  const props = {
    'aria-label': 'Value',
    size: 'xs' as const,
    className: styles.texts,
    value: [...texts],
    maxValues: 100,
    placeholder: texts.length === 0 ? (closed ? 'Choose' : 'Type or choose') : '',
    onChange: change,
    comboboxProps: inside,
  };
  const missing = texts.filter((text) => options.every(({ value }) => value !== text));
  return closed ? (
    <MultiSelect
      {...props}
      searchable
      data={[...options, ...missing.map((value) => ({ value, label: value || '(none)' }))]}
    />
  ) : (
    <TagsInput {...props} splitChars={[]} acceptValueOnBlur data={options.map(({ value }) => value)} />
  );
}

/** A name, typed or chosen from those that exist. */
export function NameField(props: {
  label: string;
  placeholder: string;
  value: string;
  options: readonly string[];
  change: (name: string) => void;
}) {
  const { label, placeholder, value, options, change } = props;
  return (
    <Autocomplete
      aria-label={label}
      size="xs"
      className={styles.texts}
      placeholder={placeholder}
      maxLength={256}
      value={value}
      onChange={change}
      data={[...options]}
      comboboxProps={inside}
    />
  );
}

type Typed = { id: string; type: 'Text' | 'Number' | 'Yes or no' | 'Any'; op: ConditionOperator; words: string };

const typed = (type: Typed['type'], op: ConditionOperator, words: string): Typed => ({
  id: `${type} ${op}`,
  type,
  op,
  words,
});

const operators: readonly Typed[] = [
  typed('Any', 'EXISTS', 'is known'),
  typed('Any', 'ABSENT', 'is not known'),
  typed('Text', 'IS', 'is'),
  typed('Text', 'IS_NOT', 'is not'),
  typed('Text', 'CONTAINS', 'contains'),
  typed('Text', 'DOES_NOT_CONTAIN', 'does not contain'),
  typed('Number', 'IS', 'is'),
  typed('Number', 'IS_NOT', 'is not'),
  typed('Number', 'MORE', 'is more than'),
  typed('Number', 'AT_LEAST', 'is at least'),
  typed('Number', 'LESS', 'is less than'),
  typed('Number', 'AT_MOST', 'is at most'),
  typed('Yes or no', 'IS', 'is'),
];

/** The operators of texts, as they read. */
export const textOperators = operators.filter(({ type }) => type === 'Text' || type === 'Any');

const typeOf = ({ op, texts, number }: ValueCondition): Typed['type'] =>
  withoutValue.has(op) ? 'Any' : texts ? 'Text' : number != null ? 'Number' : 'Yes or no';

/** A value under a key, of whatever type: how it is compared, and with what. */
export function ValueFields(props: {
  value: ValueCondition;
  options: readonly unknown[];
  change: (value: ValueCondition) => void;
}) {
  const { value, options, change } = props;
  const { key, op, texts, number, flag } = value;
  const compare = (id: string) => {
    const { type, op } = operators.find((one) => one.id === id)!;
    if (type === 'Text') change({ key, op, texts: texts ?? [] });
    else if (type === 'Number') change({ key, op, number: number ?? 0 });
    else change({ key, op, ...(type === 'Yes or no' && { flag: flag ?? true }) });
  };
  return (
    <>
      <select
        aria-label="How"
        className={sentences.how}
        value={`${typeOf(value)} ${op}`}
        onChange={({ target }) => compare(target.value)}
      >
        {(['Any', 'Text', 'Number', 'Yes or no'] as const).map((type) => (
          <optgroup key={type} label={type}>
            {operators
              .filter((one) => one.type === type)
              .map(({ id, words }) => (
                <option key={id} value={id}>
                  {words}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
      {texts && (
        <Texts
          texts={texts}
          options={options.filter((one) => typeof one === 'string').map((one) => ({ value: one, label: one }))}
          change={(texts) => change({ key, op, texts })}
        />
      )}
      {number != null && <NumberField label="Value" value={number} change={(number) => change({ key, op, number })} />}
      {flag != null && (
        <select
          aria-label="Value"
          className={sentences.value}
          value={String(flag)}
          onChange={({ target }) => change({ key, op, flag: target.value === 'true' })}
        >
          <option value="true">yes</option>
          <option value="false">no</option>
        </select>
      )}
    </>
  );
}

/** A number that is typed; what is none is not taken. */
export function NumberField(props: {
  label: string;
  value: number;
  min?: number;
  max?: number;
  change: (value: number) => void;
}) {
  const { label, value, min, max, change } = props;
  const [typed, setTyped] = useState<string>();
  return (
    <input
      type="number"
      aria-label={label}
      className={`${sentences.value} ${styles.number}`}
      min={min}
      max={max}
      value={typed ?? value}
      onBlur={() => setTyped(undefined)}
      onChange={({ target }) => {
        setTyped(target.value);
        const number = target.valueAsNumber;
        if (Number.isFinite(number) && number >= (min ?? -Infinity) && number <= (max ?? Infinity)) change(number);
      }}
    />
  );
}
