import { useLayoutEffect, useRef } from 'react';
import styles from '../Inspector.module.css';

type Props = {
  id: string;
  /** Its name, where no label has its id. */
  label?: string;
  value: string;
  placeholder?: string | undefined;
  /** One line, however long. */
  single?: boolean;
  change: (text: string) => void;
  /** Is told that somebody went on to something else. */
  done: () => void;
};

/** Words, in a field as high as they are. */
export function TextArea({ id, label, value, placeholder, single, change, done }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: its height follows its words
  useLayoutEffect(() => {
    if (!field.current) return;
    field.current.style.height = 'auto';
    field.current.style.height = `${field.current.scrollHeight + 2}px`;
  }, [value]);
  if (single)
    return (
      <input
        id={id}
        aria-label={label}
        className={styles.line}
        value={value}
        placeholder={placeholder}
        onChange={({ target }) => change(target.value)}
        onBlur={done}
      />
    );
  return (
    <textarea
      ref={field}
      id={id}
      aria-label={label}
      className={styles.line}
      value={value}
      placeholder={placeholder}
      rows={1}
      onChange={({ target }) => change(target.value)}
      onBlur={done}
    />
  );
}
