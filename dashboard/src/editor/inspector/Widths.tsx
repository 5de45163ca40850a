import { useId } from 'react';
import { type Breakpoint, breakpoints } from '../breakpoints';
import { useEditing } from '../useEditor';
import { ChoiceInput } from './controls/ChoiceInput';
import styles from './Inspector.module.css';

/** From which width on what is set here holds. */
export function Widths() {
  const { breakpoint, setBreakpoint } = useEditing();
  const id = useId();
  return (
    <div className={styles.widths}>
      <label htmlFor={id}>Set for</label>
      <ChoiceInput
        id={id}
        value={breakpoint}
        none="All widths"
        options={breakpoints.map(([value, width]) => ({ value, label: `${width} px and wider` }))}
        change={(to) => setBreakpoint(to as Breakpoint | undefined)}
      />
    </div>
  );
}
