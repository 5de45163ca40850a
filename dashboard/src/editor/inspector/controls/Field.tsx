import { type ReactNode, useId } from 'react';
import styles from '../Inspector.module.css';
import type { Override } from '../override';

type Props = {
  label: string;
  /** Takes the property away, so that its default holds; undefined where it is not set or must be. */
  reset: (() => void) | undefined;
  /** Says that the value differs at some widths, or that it is this width's own. */
  mark?: string | undefined;
  /** Whether the control takes the whole width, below its label. */
  wide?: boolean;
  /** What it is to the component, in an instance of one. */
  override?: Override;
  children: (id: string) => ReactNode;
};

/** A property: its name, its control, and the way back to the default. */
export function Field({ label, reset: unset, mark, wide, override, children }: Props) {
  const id = useId();
  const own = override?.reset;
  const reset = own ?? (override ? undefined : unset);
  return (
    <div
      className={styles.field}
      data-wide={wide || undefined}
      data-marked={mark ? true : undefined}
      data-own={own ? true : undefined}
    >
      <label htmlFor={id}>
        {label}
        {mark && <span className={styles.differs} role="img" aria-label={mark} title={mark} />}
      </label>
      {override?.locked ? (
        <fieldset disabled className={styles.locked} title="Follows the component">
          {children(id)}
        </fieldset>
      ) : (
        children(id)
      )}
      {reset && (
        <button
          type="button"
          className={styles.reset}
          aria-label={`Reset ${label}`}
          title={own ? 'Reset to the component' : 'Reset'}
          onClick={reset}
        >
          ×
        </button>
      )}
    </div>
  );
}
