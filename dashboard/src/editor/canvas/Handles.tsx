import { Fragment } from 'react';
import type { Box, Point } from './board';
import styles from './Handles.module.css';
import type { Handled } from './handled';
import type { Handle, Side } from './handles';
import type { Distance, Guide } from './snap';

type Props = {
  /** The layer whose handles are drawn; undefined for none. */
  handled: Handled | undefined;
  /** The handle that the pointer has, or is over. */
  handle: Handle | undefined;
  /** Whether something is dragged: then what could be dragged else is not drawn. */
  isActive: boolean;
  zoom: number;
};

/** What can be dragged of the selected layer. The same properties are in the inspector, for keys and screen readers. */
export function Handles({ handled, handle, isActive, zoom }: Props) {
  if (!handled) return null;
  const { box, layout, handles } = handled;
  const corners = handles.some((one) => one.is === 'size' && one.x !== 0 && one.y !== 0);
  const isOver = (one: Handle) => handle !== undefined && one.is === handle.is && near(one.box, handle.box);
  const drawn = isActive ? [] : handles.filter((one) => isSeen(one, corners, layout.padding) || isOver(one));
  return (
    <div aria-hidden="true">
      {handle?.is === 'padding' && (
        <div className={styles.band} style={placed(band(box, layout.padding, handle.side, zoom))} />
      )}
      {drawn.map((one) => {
        const at = { x: one.box.x + one.box.width / 2, y: one.box.y + one.box.height / 2 };
        return (
          <i
            key={`${one.is} ${Math.round(at.x)} ${Math.round(at.y)}`}
            className={styles.handle}
            data-handle={one.is}
            data-across={isAcross(one) || undefined}
            data-over={isOver(one) || undefined}
            style={{ left: at.x, top: at.y }}
          />
        );
      })}
    </div>
  );
}

/** Whether a handle shows before the pointer comes: of sizes the corners, of distances those that are there. */
function isSeen(one: Handle, corners: boolean, padding: Readonly<Record<Side, number>>): boolean {
  if (one.is === 'size') return !corners || (one.x !== 0 && one.y !== 0);
  return one.is !== 'padding' || padding[one.side] >= 1;
}

const near = (a: Box, b: Box) => Math.abs(a.x - b.x) < 1 && Math.abs(a.y - b.y) < 1;

/** Whether it is dragged from side to side. */
const isAcross = (handle: Handle) =>
  (handle.is === 'padding' && /[lr]/.test(handle.side)) || (handle.is === 'gap' && handle.across);

/** The padding of a side as a box of the canvas. */
function band({ x, y, width, height }: Box, padding: Readonly<Record<Side, number>>, side: Side, zoom: number): Box {
  const size = padding[side] * zoom;
  if (side === 't') return { x, y, width, height: size };
  if (side === 'b') return { x, y: y + height - size, width, height: size };
  if (side === 'l') return { x, y, width: size, height };
  return { x: x + width - size, y, width: size, height };
}

/** Lines that what is dragged keeps to, and what it has come to in words. */
export function Guides({ guides, said }: { guides: readonly Guide[]; said?: { at: Point; text: string } | undefined }) {
  return (
    <>
      {guides.map((guide) => (
        <div key={`${guide.axis} ${guide.at}`} className={styles.guide} style={placed(upright(guide))} />
      ))}
      {said && (
        <output className={styles.said} style={{ left: said.at.x + 14, top: said.at.y + 14 }}>
          {said.text}
        </output>
      )}
    </>
  );
}

/** A line at a place of one axis goes along the other. */
const upright = ({ axis, at, from, to }: Guide): Box =>
  axis === 'x' ? { x: at, y: from, width: 0, height: to - from } : { x: from, y: at, width: to - from, height: 0 };

/** How far the selection is from what the pointer is over, with the pixels beside each line. */
export function Distances({ lines, zoom }: { lines: readonly Distance[]; zoom: number }) {
  return lines.map(({ axis, at, from, to }) => {
    const middle = (from + to) / 2;
    const [x, y] = axis === 'x' ? [middle, at] : [at, middle];
    const line =
      axis === 'x' ? { x: from, y: at, width: to - from, height: 0 } : { x: at, y: from, width: 0, height: to - from };
    return (
      <Fragment key={`${axis} ${from} ${to}`}>
        <div className={styles.distance} data-across={axis === 'x' || undefined} style={placed(line)} />
        <output className={styles.pixels} data-across={axis === 'x' || undefined} style={{ left: x, top: y }}>
          {Math.round((to - from) / zoom)}
        </output>
      </Fragment>
    );
  });
}

const placed = ({ x, y, width, height }: Box) => ({ left: x, top: y, width, height });
