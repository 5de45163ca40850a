import styles from '../Inspector.module.css';

type Props = {
  id?: string;
  /** Its name, where no label has its id. */
  label?: string;
  value: string | undefined;
  options: readonly { value: string; label: string }[];
  /** What no value means. */
  none?: string;
  /** Whether one of the options holds always, so that there is no way to none. */
  required?: boolean;
  change: (value: string | undefined) => void;
};

/** One of a few words. */
export function ChoiceInput({ id, label, value, options, none = 'Default', required, change }: Props) {
  const known = value === undefined || options.some((option) => option.value === value);
  return (
    <select
      id={id}
      aria-label={label}
      className={styles.select}
      value={value ?? ''}
      onChange={({ target }) => change(target.value === '' ? undefined : target.value)}
    >
      {(!required || value === undefined) && <option value="">{none}</option>}
      {!known && <option value={value}>Missing</option>}
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}
