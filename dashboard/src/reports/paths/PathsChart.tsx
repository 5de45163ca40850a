import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { useWidth } from '../../charts/useWidth';
import type { PathsInput } from '../../graphql/schema.gen';
import { formatExact, formatShort } from '../../ui/format';
import { keyOf, layOut, linksOf, nodeAt, type Paths, type Placed, ribbonOf, sessionsBefore, sizes } from './layout';
import { NodeMenu } from './NodeMenu';
import { kindName, nameOf } from './names';
import styles from './PathsChart.module.css';

type Props = {
  title: string;
  paths: Paths;
  before: boolean;
  /** What was asked for. */
  input: PathsInput;
  /** The same anchor in what it is compared with. */
  compared?: Paths | null;
};

/** Columns of nodes, one a step, and ribbons between them. Arrows move between nodes, Enter opens a node's menu. */
export function PathsChart({ title, paths, before, input, compared }: Props) {
  const [ref, full] = useWidth<HTMLDivElement>();
  const [over, setOver] = useState<number>();
  const [current, setCurrent] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const { width, height, nodes, ribbons, stubs } = layOut(paths, full, before);
  // Where the columns are wider than the page, the anchor is in sight.
  const drawn = full > 0;
  useLayoutEffect(() => {
    if (drawn) ref.current?.scrollTo({ left: before ? width : 0 });
  }, [ref, before, width, drawn]);
  const lit = linksOf(paths.links, over);
  const sessions = sessionsBefore(paths.nodes, compared);
  const stop = nodes[current] ? current : 0; // of another answer
  const move = (event: KeyboardEvent, from: number) => {
    const next = nodeAt(nodes, from, event.key);
    if (next === undefined) return;
    event.preventDefault();
    setCurrent(next);
    list.current?.querySelectorAll<HTMLElement>('button[data-node]')[next]?.focus();
  };
  const steps = [...new Set(nodes.map(({ node, x }) => `${node.step},${x}`))].map((text) =>
    text.split(',').map(Number),
  );
  return (
    <figure className={styles.figure} dir="ltr">
      <div className={styles.scroll} ref={ref}>
        {drawn && (
          <div className={styles.canvas} style={{ width, height: height + head }}>
            {steps.map(([step, x]) => (
              <span key={step} className={styles.step} style={{ insetInlineStart: x }}>
                {step === 1 ? 'Anchor' : `Step ${step}`}
              </span>
            ))}
            <svg width={width} height={height} className={styles.picture} aria-hidden="true">
              <defs>
                {(['ended', 'beyond'] as const).map((kind) => (
                  <linearGradient
                    key={kind}
                    id={`paths-${kind}`}
                    className={styles[kind]}
                    gradientTransform={before ? 'rotate(180 0.5 0.5)' : undefined}
                  >
                    <stop offset="0" stopColor="currentColor" stopOpacity="0.5" />
                    <stop offset="1" stopColor="currentColor" stopOpacity="0" />
                  </linearGradient>
                ))}
              </defs>
              {ribbons.map((ribbon) => (
                <path
                  key={`${ribbon.link.from}-${ribbon.link.to}`}
                  d={ribbonOf(ribbon)}
                  className={styles.ribbon}
                  data-lit={over === undefined ? undefined : lit.has(ribbon.link)}
                />
              ))}
              {stubs.map(({ node, kind, x, y, height }) => (
                <rect
                  key={`${node.node}-${kind}`}
                  x={x}
                  y={y}
                  width={sizes.stub}
                  height={Math.max(1, height)}
                  fill={`url(#paths-${kind})`}
                />
              ))}
              {nodes.map(({ node, x, y, height }) => (
                <rect
                  key={node.node}
                  x={x}
                  y={y}
                  width={sizes.bar}
                  height={height}
                  rx={Math.min(2, height / 2)}
                  className={node.kind === null ? styles.others : styles.bar}
                />
              ))}
            </svg>
            <ul className={styles.nodes} ref={list} aria-label={`${title}. Arrow keys move between nodes.`}>
              {nodes.map((placed) => (
                <li key={keyOf(placed.node)}>
                  <NodeMenu node={placed.node} paths={paths} input={input}>
                    <button
                      type="button"
                      className={styles.node}
                      data-node={placed.node.node}
                      tabIndex={placed.node.node === stop ? 0 : -1}
                      style={boxOf(placed, width, steps.length)}
                      aria-label={labelOf(placed, paths.sessions, before)}
                      onKeyDown={(event) => move(event, placed.node.node)}
                      onFocus={() => {
                        setCurrent(placed.node.node);
                        setOver(placed.node.node);
                      }}
                      onBlur={() => setOver(undefined)}
                      onPointerEnter={() => setOver(placed.node.node)}
                      onPointerLeave={() => setOver(undefined)}
                    >
                      <span className={styles.name} data-others={placed.node.kind === null || undefined}>
                        <bdi>{nameOf(placed.node)}</bdi>
                      </span>
                      <span className={styles.count}>{formatShort(placed.node.sessions, 'count')}</span>
                      {placed.row >= twoLines && (
                        <span className={styles.share}>
                          {formatShort(placed.node.sessions / paths.sessions, 'share')}
                          {sessions.has(placed.node.node) && compared
                            ? ` vs ${formatShort(sessions.get(placed.node.node)! / compared.sessions, 'share')}`
                            : ''}
                        </span>
                      )}
                    </button>
                  </NodeMenu>
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
    </figure>
  );
}

/** The height of the names of steps, and from which on a node has a second line. */
const head = 28;
const twoLines = 38;

const boxOf = ({ x, y, row }: Placed, width: number, steps: number) => ({
  insetInlineStart: x,
  top: y + head,
  width: width / steps,
  height: row,
});

function labelOf({ node }: Placed, all: number, before: boolean): string {
  const where = node.step === 1 ? 'anchor' : `step ${node.step}`;
  const share = formatShort(node.sessions / all, 'share');
  const ended = `${formatExact(node.ended, 'count')} ${before ? 'began' : 'ended'} here`;
  return `${kindName(node)} ${nameOf(node)}, ${where}: ${formatExact(node.sessions, 'count')} sessions, ${share}; ${ended}`;
}
