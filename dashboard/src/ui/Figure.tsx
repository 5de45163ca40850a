import { Tooltip } from '@mantine/core';
import styles from './Figure.module.css';
import { changeOf, dash, type FigureKind, formatChange, formatExact, formatShort } from './format';

/** A figure as short as it can be read; the exact one is in its tooltip and for screen readers. */
export function Figure({ value, kind }: { value: number | null | undefined; kind: FigureKind }) {
  const short = formatShort(value, kind);
  const exact = formatExact(value, kind);
  if (value == null) return <span className={styles.none}>{dash}</span>;
  if (short === exact) return <span>{short}</span>;
  return (
    <Tooltip label={exact}>
      <span>
        <span aria-hidden="true">{short}</span>
        <span className="reader">{exact}</span>
      </span>
    </Tooltip>
  );
}

type ChangeProps = {
  now: number | null | undefined;
  before: number | null | undefined;
  kind: FigureKind;
  fewer?: boolean;
};

/** How much a figure changed against what it is compared with. `fewer`: less is better, as for bounces. */
export function Change({ now, before, kind, fewer = false }: ChangeProps) {
  const change = changeOf(now, before);
  if (change === null) return null;
  const direction = change > 0 ? 'up' : change < 0 ? 'down' : 'same';
  const good = change === 0 ? undefined : change > 0 !== fewer;
  return (
    <Tooltip label={`${formatExact(before, kind)} before`}>
      <span className={styles.change} data-good={good}>
        <span aria-hidden="true">{{ up: '↑', down: '↓', same: '' }[direction]}</span>
        <span className="reader">{{ up: 'up', down: 'down', same: 'no change' }[direction]}</span>
        {direction === 'same' ? '0%' : formatChange(change)}
      </span>
    </Tooltip>
  );
}
