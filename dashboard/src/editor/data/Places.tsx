import { useState } from 'react';
import type { NodeId } from '../document/operation';
import styles from './Data.module.css';
import type { Place } from './data';

const few = 4;

/** Layers and decisions that a value leads to, each once. Of many, some are shown at first. */
export function Places(props: { places: readonly Place[]; show: (node: NodeId) => void }) {
  const { show } = props;
  const [all, showAll] = useState(false);
  const found = new Map<string, { place: Place; times: number }>();
  for (const place of props.places) {
    const key = `${place.node} ${place.inText}`;
    found.set(key, { place, times: (found.get(key)?.times ?? 0) + 1 });
  }
  const places = [...found];
  const shown = all ? places : places.slice(0, few);
  return (
    <ul className={styles.places}>
      {shown.map(
        ([
          key,
          {
            place: { node, step, layer, inText },
            times,
          },
        ]) => (
          <li key={key}>
            <button type="button" title="Show where it is" onClick={() => show(node)}>
              {step}
              {layer !== '' && ` › ${layer}`}
            </button>
            {inText && <small>in a text</small>}
            {times > 1 && <small>{times} times</small>}
          </li>
        ),
      )}
      {shown.length < places.length && (
        <li>
          <button type="button" onClick={() => showAll(true)}>
            {places.length - few} more
          </button>
        </li>
      )}
    </ul>
  );
}
