import { useState } from 'react';
import type { Json } from '../../document/operation';
import { wordsOf } from '../../labels';
import styles from '../Inspector.module.css';

type Props = {
  id: string;
  label: string;
  value: Json | undefined;
  /** All that may be in it, in their order. */
  values?: readonly string[] | undefined;
  /** How its words are shown, and read when they are typed. */
  names?: { of: (word: string) => string; read: (typed: string) => string } | undefined;
  required: boolean;
  change: (value: readonly string[] | undefined) => void;
};

/** A few words: ticks where it is known which there are, else words with commas between. */
export function ListInput({ id, label, value, values, names, required, change }: Props) {
  const own = Array.isArray(value) ? value.map(String) : [];
  const [typed, setTyped] = useState<string>();
  const put = (to: readonly string[]) => change(to.length > 0 || required ? to : undefined);
  if (values)
    return (
      <fieldset id={id} className={styles.ticks} aria-label={label}>
        {values.map((one) => (
          <label key={one}>
            <input
              type="checkbox"
              className={styles.switch}
              checked={own.includes(one)}
              onChange={({ target }) =>
                put(values.filter((other) => (other === one ? target.checked : own.includes(other))))
              }
            />
            {wordsOf(one)}
          </label>
        ))}
      </fieldset>
    );
  const commit = () => {
    if (typed === undefined) return;
    setTyped(undefined);
    const said = typed.split(',').map((one) => one.trim());
    const to = [...new Set(said.filter((one) => one !== '').map((one) => names?.read(one) ?? one))];
    if (to.join() !== own.join()) put(to);
  };
  return (
    <input
      id={id}
      className={styles.line}
      value={typed ?? own.map((one) => names?.of(one) ?? one).join(', ')}
      placeholder="None"
      spellCheck={false}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
      }}
    />
  );
}
