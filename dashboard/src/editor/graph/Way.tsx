import { BaseEdge, type Edge, type EdgeProps, getSmoothStepPath, Position } from '@xyflow/react';
import { memo } from 'react';
import { curve } from './curve';
import type { Position as Point } from './model';
import styles from './numbers/Numbers.module.css';
import type { WayLabel } from './numbers/numbers';

export type WayEdge = Edge<WayLabel & { points: readonly Point[] | undefined }, 'way'>;

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
  return (
    <>
      <BaseEdge path={path!} markerEnd={markerEnd} interactionWidth={22} />
      {data?.share && (
        <text className={styles.share} x={sourceX + 9} y={sourceY - (data.note ? 15 : 5)}>
          {data.share}{' '}
          {data.note && (
            <tspan x={sourceX + 9} dy={11}>
              {data.note}
            </tspan>
          )}
        </text>
      )}
    </>
  );
});
