import { SegmentedControl } from '@mantine/core';
import { useLayoutEffect, useMemo, useState } from 'react';
import { useWidth } from '../../charts/useWidth';
import { formatExact, formatShort } from '../../ui/format';
import styles from './FlowGraph.module.css';
import type { Funnel } from './flow';
import { box, type GraphNode, graphOf } from './graph';

/** Where a picture is narrower than this, in pixels, hardly two steps stand beside each other. */
const narrow = 520;

/** The flow as its runs went through it: ways as wide as their runs, and at each step how many left there. The list below
 * it says the same to screen readers. */
export function FlowGraph({ funnel }: { funnel: Funnel }) {
  const [ref, room] = useWidth<HTMLElement>();
  const direction = room > 0 && room < narrow ? 'down' : 'right';
  const { nodes, edges, width, height, leftOut } = useMemo(() => graphOf(funnel, direction), [funnel, direction]);
  const begin = nodes.find(({ id }) => id === 'start')?.x;
  // What goes down begins in the middle of its picture.
  useLayoutEffect(() => {
    if (ref.current && direction === 'down' && begin !== undefined) ref.current.scrollLeft = begin - room / 2;
  }, [ref, direction, begin, room]);
  const [size, setSize] = useState<'fit' | 'whole'>('whole');
  const [at, setAt] = useState<string>();
  if (nodes.length === 0) return null;
  return (
    <>
      <div className={styles.head}>
        <SegmentedControl
          data-print="no"
          size="xs"
          aria-label="Size of the picture"
          value={size}
          onChange={(value) => setSize(value === 'fit' ? 'fit' : 'whole')}
          data={[
            { value: 'whole', label: 'Actual size' },
            { value: 'fit', label: 'Fit' },
          ]}
        />
        {leftOut > 0 && (
          <small>Ways that fewer than 1 % of runs took are left out: {formatExact(leftOut, 'count')} passes.</small>
        )}
      </div>
      <section
        ref={ref}
        className={styles.scroll}
        data-direction={direction}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
        aria-label="Picture of the flow"
      >
        <svg
          viewBox={`0 0 ${width} ${height}`}
          width={size === 'fit' ? '100%' : width}
          height={size === 'fit' ? undefined : height}
          role="img"
          aria-label="The flow with its runs; a list follows."
        >
          {edges.map(({ from, to, runs, width, path }) => (
            <path
              key={`${from} ${to}`}
              d={path}
              strokeWidth={width}
              className={styles.way}
              data-far={(at !== undefined && at !== from && at !== to) || undefined}
            >
              <title>{formatExact(runs, 'count')} runs</title>
            </path>
          ))}
          {nodes.map((node) => (
            <g key={node.id} onPointerEnter={() => setAt(node.id)} onPointerLeave={() => setAt(undefined)}>
              <Node node={node} />
            </g>
          ))}
        </svg>
      </section>
    </>
  );
}

function Node({ node: { name, x, y, reach, drop = 0 } }: { node: GraphNode }) {
  if (reach === undefined) {
    return (
      <>
        <rect x={x - 46} y={y - 17} width="92" height="34" rx="17" className={styles.end} />
        <text x={x} y={y + 4} textAnchor="middle" className={styles.name}>
          {name}
        </text>
      </>
    );
  }
  const left = x - box.width / 2;
  const top = y - box.height / 2;
  const lost = reach > 0 ? drop / reach : 0;
  const inside = box.width - 24;
  return (
    <>
      <title>{`${name}: ${formatExact(reach, 'count')} runs, ${formatExact(drop, 'count')} left here`}</title>
      <rect x={left} y={top} width={box.width} height={box.height} rx="10" className={styles.step} />
      <text x={left + 12} y={top + 20} className={styles.name}>
        {name.length > 21 ? `${name.slice(0, 20)}…` : name}
      </text>
      <text x={left + 12} y={top + 39} className={styles.reach}>
        {formatShort(reach, 'count')}
      </text>
      {drop > 0 && (
        <text x={left + box.width - 12} y={top + 39} textAnchor="end" className={styles.lost}>
          −{formatShort(drop, 'count')} · {formatShort(lost, 'share')}
        </text>
      )}
      <rect x={left + 12} y={top + 48} width={inside} height="4" rx="2" className={styles.kept} />
      <rect
        x={left + 12 + inside * (1 - lost)}
        y={top + 48}
        width={inside * lost}
        height="4"
        rx="2"
        className={styles.drop}
      />
    </>
  );
}
