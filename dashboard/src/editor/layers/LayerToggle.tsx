import { memo } from 'react';
import type { NodeId } from '../document/operation';
import type { View } from '../layerView';
import { useLayerView } from '../useEditor';
import styles from './Layers.module.css';

const signs: Record<View, [on: string, off: string]> = {
  hidden: [
    'M2.5 6.5c2.8 4 8.2 4 11 0M4 8.5l-1.2 1.7M8 9.7v2M12 8.5l1.2 1.7',
    'M1.5 8c3.2-5 9.8-5 13 0-3.2 5-9.8 5-13 0M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4',
  ],
  locked: ['M3.5 7.5h9v6h-9zM5.5 7.5v-2a2.5 2.5 0 0 1 5 0v2', 'M3.5 7.5h9v6h-9zM5.5 7.5v-2a2.5 2.5 0 0 1 4.8-1'],
};

const titles: Record<View, [on: string, off: string]> = {
  hidden: ['Show on the canvas', 'Hide in the editor only (⇧⌘H)'],
  locked: ['Unlock', 'Lock (⇧⌘L)'],
};

type Props = {
  view: View;
  id: NodeId;
  /** Whether the layer is hidden or locked, by itself or with what it stands in. */
  within: boolean;
};

/** Hides or locks a layer by the pointer; keys do the same. Each row has two, and most edits change none of them. */
export const LayerToggle = memo(function LayerToggle({ view, id, within }: Props) {
  const layers = useLayerView();
  const own = layers.state[view].has(id);
  const at = own ? 0 : 1;
  return (
    <span
      className={styles.view}
      data-on={own || undefined}
      data-within={within || undefined}
      data-view={view}
      title={titles[view][at]}
      aria-hidden="true"
      onPointerDown={(event) => event.stopPropagation()}
      onDoubleClick={(event) => event.stopPropagation()}
      onClick={(event) => {
        event.stopPropagation();
        layers.toggle(view, [id]);
      }}
    >
      <svg width={14} height={14} viewBox="0 0 16 16" aria-hidden="true">
        <path
          d={signs[view][within ? 0 : 1]}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
    </span>
  );
});
