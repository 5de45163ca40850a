import { ActionIcon, Button } from '@mantine/core';
import { useReactFlow, useViewport } from '@xyflow/react';
import { Icon } from '../../ui/Icon';
import styles from './Graph.module.css';

/** How large the graph is seen. */
export function Zoom({ all }: { all: () => void }) {
  const { zoomIn, zoomOut, zoomTo } = useReactFlow();
  const { zoom } = useViewport();
  return (
    <div className={styles.tools} role="toolbar" aria-label="Zoom">
      <ActionIcon variant="subtle" color="gray" aria-label="Zoom out" onClick={() => void zoomOut()}>
        <Minus />
      </ActionIcon>
      <Button variant="subtle" color="gray" size="compact-xs" aria-label="Zoom to 100 %" onClick={() => void zoomTo(1)}>
        {Math.round(zoom * 100)} %
      </Button>
      <ActionIcon variant="subtle" color="gray" aria-label="Zoom in" onClick={() => void zoomIn()}>
        <Icon name="plus" size={14} />
      </ActionIcon>
      <Button variant="subtle" color="gray" size="compact-xs" onClick={all}>
        Fit
      </Button>
    </div>
  );
}

function Minus() {
  return (
    <svg width={14} height={14} viewBox="0 0 16 16" aria-hidden="true">
      <path d="M3 8h10" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" />
    </svg>
  );
}
