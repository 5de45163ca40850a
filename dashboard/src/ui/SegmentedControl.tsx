import { type HTMLAttributes, useId } from 'react';
import styles from './SegmentedControl.module.css';

type Props = Omit<HTMLAttributes<HTMLElement>, 'onChange'> & {
  'aria-label': string;
  value: string;
  onChange: (value: string) => void;
  data: readonly (string | { value: string; label: string })[];
  size?: 'xs' | 'sm';
  /** Whether it takes all of the width that there is. */
  fullWidth?: boolean;
  disabled?: boolean;
};

/** One of a few, all of them in sight. */
export function SegmentedControl({
  value,
  onChange,
  data,
  size = 'sm',
  fullWidth,
  disabled,
  className,
  ...rest
}: Props) {
  const name = useId();
  return (
    <div
      {...rest}
      role="radiogroup"
      className={className ? `${styles.root} ${className}` : styles.root}
      data-size={size}
      data-full={fullWidth}
    >
      {data.map((one) => {
        const { value: own, label } = typeof one === 'string' ? { value: one, label: one } : one;
        return (
          <label key={own}>
            <input
              type="radio"
              name={name}
              value={own}
              checked={own === value}
              disabled={disabled}
              onChange={() => onChange(own)}
            />
            <span>{label}</span>
          </label>
        );
      })}
    </div>
  );
}
