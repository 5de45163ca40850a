import { useEffect } from 'react';
import type { NodeId } from '../document/operation';
import { layerStateNames, statesOf } from '../layerStates';
import { useEditing, useNode } from '../useEditor';
import styles from './ForcedState.module.css';

/** Shows the layer in one of its states on the canvas, for as long as it is selected. Nothing is written. */
export function ForcedState({ id }: { id: NodeId }) {
  const { editor, forcing, force } = useEditing();
  useNode(id);
  useEffect(() => () => force(undefined), [force]);
  const states = statesOf(editor.document, id);
  if (states.length === 0) return null;
  const shown = forcing?.layer === id ? forcing.state : undefined;
  return (
    <fieldset className={styles.states} aria-label="Shown on the canvas as">
      {states.map((state) => (
        <button
          key={state}
          type="button"
          aria-pressed={shown === state}
          onClick={() => force(shown === state ? undefined : { layer: id, state })}
        >
          {layerStateNames[state]}
        </button>
      ))}
    </fieldset>
  );
}
