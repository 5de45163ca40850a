import { useState } from 'react';
import styles from './Compare.module.css';
import type { Repainted } from './repainted';
import { Pair, type Pictures } from './StepSection';

/** How many screens are shown before more are asked for: a theme changes them all. */
const atFirst = 6;

/** Screens that only the theme makes look different, before and after. */
export function RepaintedScreens({ screens, pictures }: { screens: readonly Repainted[]; pictures: Pictures }) {
  const [all, setAll] = useState(false);
  const shown = all ? screens : screens.slice(0, atFirst);
  return (
    <section className={styles.step} aria-labelledby="repainted">
      <h3 id="repainted">{`The theme changes ${screens.length} ${screens.length === 1 ? 'screen' : 'screens'}`}</h3>
      <ul className={styles.repainted}>
        {shown.map(({ screen, name }) => (
          <li key={screen}>
            <h4>{name}</h4>
            <Pair name={name} is="changed" screen={screen} pictures={pictures} />
          </li>
        ))}
      </ul>
      {shown.length < screens.length && (
        <button type="button" className={styles.more} onClick={() => setAll(true)}>
          Show {screens.length - shown.length} more
        </button>
      )}
    </section>
  );
}
