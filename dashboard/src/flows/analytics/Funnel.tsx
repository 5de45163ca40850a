import type { DataOf } from '../../graphql/graphql';
import { dash, formatExact, formatSeconds, formatShort } from '../../ui/format';
import styles from './FlowPage.module.css';
import type { Funnel as Data } from './queries';

type Duration = NonNullable<NonNullable<DataOf<'FlowReport'>['flowAnalytics']>['stepDuration']>['steps'][number];

/** The steps in the order in which a run comes to them: how many reached each, how many left there, how long it took. */
export function Funnel({ funnel, durations }: { funnel: Data; durations: readonly Duration[] }) {
  const names = new Map(funnel.steps.map(({ id, name }) => [id, name || id]));
  const onwards = (id: string) =>
    funnel.exits
      .filter(({ from, to }) => from.isStep && to.isStep && from.id === id)
      .toSorted((a, b) => b.runs - a.runs)
      .slice(0, 2);
  return (
    <>
      <p className={styles.legend}>
        {formatExact(funnel.runs, 'count')} runs of {formatExact(funnel.people, 'count')} users. A bar shows the runs
        that reached a step; its red end shows the drop-off.
      </p>
      <ol className={styles.steps}>
        {funnel.steps.map(({ id, name, kind, reach, drop, fromStart, completed }, i) => {
          const next = onwards(id);
          const time = durations.find((step) => step.id === id)?.median;
          return (
            <li key={id} className={styles.step}>
              <span aria-hidden="true">{i + 1}</span>
              <div className={styles.way}>
                <i style={{ width: percent(reach / funnel.runs) }} />
                <i
                  style={{
                    width: percent(drop / funnel.runs),
                    insetInlineStart: percent((reach - drop) / funnel.runs),
                  }}
                />
                <b>{name || id}</b>
                <small>
                  {kind === 'SURFACE' ? 'Paywall' : `${formatShort(completed, 'count')} answered`}
                  {next.length > 0 &&
                    ` · then ${next.map(({ to, runs }) => `${names.get(to.id) ?? to.id} (${formatShort(runs, 'count')})`).join(', ')}`}
                </small>
              </div>
              <div className={styles.number} title={`${formatExact(reach, 'count')} runs`}>
                <b>{formatShort(reach, 'count')}</b>
                <small>
                  {formatShort(fromStart, 'share')}
                  <span> of runs</span>
                </small>
              </div>
              <div
                className={styles.number}
                data-loss={drop > 0 || undefined}
                title={`${formatExact(drop, 'count')} runs`}
              >
                <b>{formatShort(drop, 'count')}</b>
                <small>{reach > 0 ? formatShort(drop / reach, 'share') : dash} left</small>
              </div>
              <div className={styles.number}>
                <b>{time == null ? dash : formatSeconds(time)}</b>
                <small>median visit</small>
              </div>
            </li>
          );
        })}
      </ol>
    </>
  );
}

const percent = (share: number) => `${Math.min(100, Math.max(0, share * 100))}%`;
