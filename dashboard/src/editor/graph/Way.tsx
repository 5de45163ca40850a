import { BaseEdge, type Edge, type EdgeProps, getSmoothStepPath, Position } from '@xyflow/react';
import { memo } from 'react';
import { formatShort } from '../../ui/format';
import { curve } from './curve';
import type { Position as Point } from './model';
import styles from './numbers/Numbers.module.css';

export type WayEdge = Edge<
  {
    points: readonly Point[] | undefined;
    /** Of the runs at its beginning, where numbers are shown. */
    share: number | undefined;
  },
  'way'
>;

/** A way between two steps. What leads back goes around in right angles. */
export const Way = memo(function Way({ sourceX, sourceY, targetX, targetY, markerEnd, data }: EdgeProps<WayEdge>) {
  const from = { x: sourceX, y: sourceY };
  const to = { x: targetX, y: targetY };
  const forth = targetX > sourceX + 24;
  const [path] = forth
    ? [curve(from, data?.points ?? [], to)]
    : getSmoothStepPath({
        sourceX,
        sourceY,
        targetX,
        targetY,
        sourcePosition: Position.Right,
        targetPosition: Position.Left,
        borderRadius: 16,
        offset: 28,
      });
  const share = data?.share;
  return (
    <>
      <BaseEdge path={path!} markerEnd={markerEnd} interactionWidth={22} />
      {share !== undefined && (
        <text className={styles.share} x={sourceX + 9} y={sourceY - 5}>
          {formatShort(share, 'share')}
        </text>
      )}
    </>
  );
});
