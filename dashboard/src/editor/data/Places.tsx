import { useState } from 'react';
import type { NodeId } from '../document/operation';
import styles from './Data.module.css';
import type { Place } from './data';

const few = 4;

/** Layers and decisions that a value leads to. Of many, some are shown at first. */
export function Places({ places, show }: { places: readonly Place[]; show: (node: NodeId) => void }) {
  const [all, showAll] = useState(false);
  const shown = all ? places : places.slice(0, few);
  return (
    <ul className={styles.places}>
      {shown.map(({ node, step, layer, inText }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a layer can be there twice
        <li key={`${node} ${at}`}>
          <button type="button" title="Show where it is" onClick={() => show(node)}>
            {step}
            {layer !== '' && ` › ${layer}`}
          </button>
          {inText && <small>in a text</small>}
        </li>
      ))}
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
