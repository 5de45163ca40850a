import { memo } from 'react';
import type { NodeId } from '../document/operation';
import type { View } from '../layerView';
import { useLayerView } from '../useEditor';
import styles from './Layers.module.css';

const signs: Record<View, [on: string, off: string]> = {
  hidden: [
    'M2.500 6.500c2.800 4 8.200 4 11 0M4 8.500l-1.200 1.700M8 9.700v2M12 8.500l1.200 1.700',
    'M1.500 8c3.200-5 9.800-5 13 0-3.200 5-9.800 5-13 0M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4',
  ],
  locked: [
    'M3.500 7.500h9v6h-9zM5.500 7.500v-2a2.500 2.500 0 0 1 5 0v2',
    'M3.500 7.500h9v6h-9zM5.500 7.500v-2a2.500 2.500 0 0 1 4.800-1',
  ],
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
