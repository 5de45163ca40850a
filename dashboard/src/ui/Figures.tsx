import { Change, Figure } from './Figure';
import styles from './Figures.module.css';
import type { FigureKind } from './format';

export type NamedFigure = {
  name: string;
  kind: FigureKind;
  value: number | null | undefined;
  /** What it is compared with; left out, nothing. */
  before?: number | null;
  /** Less is better. */
  fewer?: boolean;
};

/** The figures of a card, in a row, with how much they changed. */
export function Figures({ figures }: { figures: readonly NamedFigure[] }) {
  return (
    <dl className={styles.figures}>
      {figures.map(({ name, kind, value, before, fewer }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Figure value={value} kind={kind} />
            {before !== undefined && <Change now={value} before={before} kind={kind} fewer={fewer} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}
