import { type ReactNode, useId } from 'react';
import styles from '../Inspector.module.css';

type Props = {
  label: string;
  /** Takes the property away, so that its default holds; undefined where it is not set or must be. */
  reset: (() => void) | undefined;
  /** Says that the value differs at some widths, or that it is this width's own. */
  mark?: string | undefined;
  /** Whether the control takes the whole width, below its label. */
  wide?: boolean;
  children: (id: string) => ReactNode;
};

/** A property: its name, its control, and the way back to the default. */
export function Field({ label, reset, mark, wide, children }: Props) {
  const id = useId();
  return (
    <div className={styles.field} data-wide={wide || undefined} data-marked={mark ? true : undefined}>
      <label htmlFor={id}>
        {label}
        {mark && <span className={styles.differs} role="img" aria-label={mark} title={mark} />}
      </label>
      {children(id)}
      {reset && (
        <button type="button" className={styles.reset} aria-label={`Reset ${label}`} title="Reset" onClick={reset}>
          ×
        </button>
      )}
    </div>
  );
}
