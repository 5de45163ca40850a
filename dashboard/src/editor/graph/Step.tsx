import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { memo } from 'react';
import { KindIcon } from '../KindIcon';
import { kindName } from '../names';
import { type StepShares, simulatedWords } from '../simulation';
import styles from './Graph.module.css';
import { type Mark, markNames } from './marks';
import type { GraphNode, Row } from './model';
import { numberWords, type StepNumbers } from './numbers/numbers';
import { StepFigures } from './numbers/StepFigures';

export type StepData = {
  node: GraphNode;
  mark: Mark | undefined;
  canConnect: boolean;
  /** Of the last published version, where they are shown. */
  numbers: StepNumbers | undefined;
  /** What recorded runs would do, where it is shown. */
  simulated: StepShares | undefined;
};
export type StepNode = Node<StepData, 'step'>;

/** The handle where ways come in. */
export const entryHandle = 'in';

/** A step of the flow with its ways out, one below the other. The picture of a screen is drawn behind it. */
export const Step = memo(function Step({ data: { node, mark, canConnect, numbers, simulated } }: NodeProps<StepNode>) {
  const { kind, name, words, isEntry, rows } = node;
  const entry = (
    <Handle
      id={entryHandle}
      type="target"
      position={Position.Left}
      className={styles.entry}
      isConnectable={canConnect}
      isConnectableStart={false}
    />
  );
  if (kind === 'end')
    return (
      <div className={styles.end}>
        {entry}
        <KindIcon kind="end" />
        {name}
      </div>
    );
  return (
    <div className={styles.step} data-kind={kind} data-mark={mark}>
      {entry}
      {(numbers || simulated) && <StepFigures numbers={numbers} simulated={simulated} />}
      <div className={styles.head}>
        {kind !== 'screen' && <KindIcon kind={kind} />}
        <strong title={name}>{name}</strong>
        {mark && (
          <span className={styles.mark} title={markNames[mark]}>
            <Warning />
          </span>
        )}
        {isEntry && <small className={styles.badge}>Start</small>}
      </div>
      {kind === 'screen' ? <div className={styles.picture} /> : words && <p className={styles.words}>{words}</p>}
      <ul className={styles.rows}>
        {rows.map((row) => (
          <li key={row.exit} data-kind={row.kind} data-open={row.to === undefined || undefined} title={row.label}>
            <span>{row.label}</span>
            <Handle
              id={row.exit}
              type="source"
              position={Position.Right}
              className={styles.exit}
              isConnectable={canConnect}
            />
          </li>
        ))}
      </ul>
    </div>
  );
});

/** What a screen reader says of a step. */
export function stepWords(
  { kind, name, isEntry, rows }: GraphNode,
  mark: Mark | undefined,
  nameOf: NameOf,
  numbers?: StepNumbers,
  simulated?: StepShares,
): string {
  if (kind === 'end') return 'End of the flow';
  const parts = [`${kindName(kind)} ${name}`];
  if (isEntry) parts.push('start of the flow');
  if (mark) parts.push(markNames[mark]);
  if (numbers) parts.push(numberWords(numbers));
  if (simulated) parts.push(`Simulated: ${simulatedWords(simulated)}`);
  for (const row of rows) parts.push(`${row.label} ${leads(row, nameOf)}`);
  return parts.join('. ');
}

type NameOf = (id: string) => string | undefined;

function leads({ to }: Row, nameOf: NameOf): string {
  return to === undefined ? 'leads nowhere' : `leads to ${nameOf(to) ?? 'a step that was removed'}`;
}

function Warning() {
  return (
    <svg width={14} height={14} viewBox="0 0 16 16" aria-hidden="true">
      <path
        d="M8 2.5 14.5 13.5H1.5zM8 6.5V10M8 11.8h.01"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
