import { type CSSProperties, useLayoutEffect, useMemo, useState } from 'react';
import { useWidth } from '../../charts/useWidth';
import { formatExact, formatShort } from '../../ui/format';
import { SegmentedControl } from '../../ui/SegmentedControl';
import { useLook } from '../preview/look';
import { screensOf } from '../preview/manifest';
import { ScreenFrame } from '../preview/ScreenFrame';
import styles from './FlowGraph.module.css';
import { box, type GraphNode, graphOf, heightOf, shot } from './graph';
import type { Funnel } from './queries';

/** Where a picture is narrower than this, in pixels, hardly two steps stand beside each other. */
const narrow = 520;

/** How small a picture becomes to fit: its figures can still be read. What is wider scrolls. */
const smallest = 0.75;

/** The flow as its runs went through it: ways as wide as their runs, and at each step its screen and how many left
 * there. Screens are those of a version; a step that it does not have is drawn without. The list below says the same to
 * screen readers. */
export function FlowGraph({ funnel, manifest }: { funnel: Funnel; manifest: unknown }) {
  const [ref, room] = useWidth<HTMLElement>();
  const direction = room > 0 && room < narrow ? 'down' : 'right';
  const screens = useMemo(() => new Set(screensOf(manifest).map(({ id }) => id)), [manifest]);
  const { nodes, edges, width, height, leftOut } = useMemo(
    () => graphOf(funnel, direction, screens),
    [funnel, direction, screens],
  );
  const begin = nodes.find(({ id }) => id === 'start')?.x;
  // What goes down begins in the middle of its picture.
  useLayoutEffect(() => {
    if (ref.current && direction === 'down' && begin !== undefined) ref.current.scrollLeft = begin - room / 2;
  }, [ref, direction, begin, room]);
  const [size, setSize] = useState<'fit' | 'whole'>('whole');
  const [at, setAt] = useState<string>();
  if (nodes.length === 0) return null;
  const scale = size === 'fit' && room > 0 ? Math.min(1, Math.max(smallest, room / width)) : 1;
  return (
    <>
      <div className={styles.head}>
        <SegmentedControl
          data-print="no"
          size="xs"
          aria-label="Zoom"
          value={size}
          onChange={(value) => setSize(value === 'fit' ? 'fit' : 'whole')}
          data={[
            { value: 'whole', label: 'Actual size' },
            { value: 'fit', label: 'Fit' },
          ]}
        />
        {leftOut > 0 && (
          <small>Paths taken by fewer than 1 % of runs are hidden: {formatExact(leftOut, 'count')} passes.</small>
        )}
      </div>
      <section
        ref={ref}
        className={styles.scroll}
        data-direction={direction}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
        aria-label="Funnel diagram"
      >
        <div
          className={styles.picture}
          style={{ width: width * scale, '--drawn': `${width}px`, '--scale': scale } as CSSProperties}
        >
          <svg
            viewBox={`0 0 ${width} ${height}`}
            width={width * scale}
            height={height * scale}
            role="img"
            aria-label="Funnel diagram; a list follows."
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
          <div className={styles.screens} aria-hidden="true">
            {nodes.map(
              (node) =>
                node.screen && <StepScreen key={node.id} node={node} screen={node.screen} manifest={manifest} />,
            )}
          </div>
        </div>
      </section>
    </>
  );
}

/** The upper part of a step's screen, over its place in the picture. */
function StepScreen({ node, screen, manifest }: { node: GraphNode; screen: string; manifest: unknown }) {
  const look = useLook(manifest);
  const shown = useMemo(() => look && { ...look, manifest, screen }, [look, manifest, screen]);
  const left = node.x - shot.width / 2;
  const top = node.y - heightOf(true) / 2 + shot.above;
  return (
    <div className={styles.screen} style={{ left, top, width: shot.width, height: shot.height }}>
      <ScreenFrame shown={shown} name={`Screenshot of ${node.name}`} width={shot.width} />
    </div>
  );
}

function Node({ node: { name, x, y, reach, drop = 0, screen } }: { node: GraphNode }) {
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
  const height = heightOf(screen !== undefined);
  const top = y + height / 2 - box.height; // of the figures
  const lost = reach > 0 ? drop / reach : 0;
  const inside = box.width - 24;
  return (
    <>
      <title>{`${name}: ${formatExact(reach, 'count')} runs, ${formatExact(drop, 'count')} dropped off here`}</title>
      <rect x={left} y={y - height / 2} width={box.width} height={height} rx="10" className={styles.step} />
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
