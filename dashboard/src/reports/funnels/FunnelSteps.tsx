import { dash, formatAligned, formatExact, formatSeconds, formatShort } from '../../ui/format';
import styles from './Funnels.module.css';
import type { Report } from './queries';
import { stepName } from './words';

type Step = Report['steps'][number];

type Props = {
  report: Report;
  /** What goes through the funnel: visitor, session. */
  unit: string;
  /** The same funnel in what it is compared with. */
  compared: Report | null | undefined;
  comparedName: string;
  /** Shows who dropped off at a step. */
  open: (step: { number: number; name: string }) => void;
  /** Makes a segment of them; undefined for those who can't. */
  save: ((step: { number: number; name: string }) => void) | undefined;
};

/** The steps as bars of those who entered: the hatched end has time left to go on, the paler bar below is of what it is
 * compared with. */
export function FunnelSteps({ report: { steps }, unit, compared: before, comparedName, open: show, save }: Props) {
  const compared = before && before.entered > 0 ? before : undefined;
  const open = steps.some((step) => step.open > 0);
  return (
    <>
      <p className={styles.legend}>
        A bar shows the {unit}s that entered a step.
        {open && ` Those in the hatched part are open: they still have time to convert.`}
        {compared && ` The paler bar shows the ${comparedName.toLowerCase()}.`}
      </p>
      <ol className={styles.steps}>
        {[...steps.entries()].map(([i, step]) => (
          <li key={i} className={styles.step}>
            <span className={styles.place} aria-hidden="true">
              {i + 1}
            </span>
            <div className={styles.way}>
              <b>
                <bdi>{stepName(step, i)}</bdi>
              </b>
              <Bar step={step} of={steps[0]!.entered} />
              {compared?.steps[i] && <Compared step={compared.steps[i]} name={comparedName} />}
            </div>
            <div className={styles.number} title={formatExact(step.entered, 'count')}>
              <b>{formatShort(step.entered, 'count')}</b>
              <small>{unit}s</small>
            </div>
            <div className={styles.number}>
              <b>{i === 0 ? dash : formatAligned(step.fromPrevious, 'share')}</b>
              <small>of previous</small>
            </div>
            <div className={styles.number}>
              <b>{formatAligned(step.fromFirst, 'share')}</b>
              <small>of first</small>
            </div>
            <div className={styles.number}>
              <b>{step.medianSeconds == null ? dash : formatSeconds(step.medianSeconds)}</b>
              <small>median time</small>
              {step.p90Seconds != null && <small>{formatSeconds(step.p90Seconds)} p90</small>}
            </div>
            {i < steps.length - 1 && (
              <Lost step={step} at={{ number: i + 1, name: stepName(step, i) }} show={show} save={save} />
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

function Bar({ step: { entered, open }, of }: { step: Step; of: number }) {
  return (
    <div className={styles.track}>
      <div className={styles.bar} style={{ inlineSize: percent(entered, of) }}>
        {open > 0 && <i style={{ inlineSize: percent(open, entered) }} />}
      </div>
    </div>
  );
}

function Compared({ step: { entered, fromFirst }, name }: { step: Step; name: string }) {
  return (
    <>
      <div className={styles.compared} style={{ inlineSize: percent(fromFirst ?? 0, 1) }} />
      <small>
        {name}: {formatShort(entered, 'count')} · {formatAligned(fromFirst, 'share')} of first
      </small>
    </>
  );
}

type LostProps = { step: Step; at: { number: number; name: string }; show: Props['open']; save: Props['save'] };

/** Those who did not enter the next step. */
function Lost({ step: { entered, dropped, open }, at, show, save }: LostProps) {
  return (
    <p className={styles.lost}>
      <span aria-hidden="true">↓ </span>
      <button type="button" onClick={() => show(at)} disabled={dropped === 0}>
        <b>{formatExact(dropped, 'count')}</b> dropped off
      </button>
      {entered > 0 && ` ${formatAligned(dropped / entered, 'share')}`}
      {open > 0 && ` · ${formatExact(open, 'count')} open`}
      {save && dropped > 0 && (
        <>
          {' · '}
          <button
            type="button"
            onClick={() => save(at)}
            aria-label={`Save who dropped off after ${at.name} as segment`}
          >
            Save as segment…
          </button>
        </>
      )}
    </p>
  );
}

const percent = (part: number, of: number) => `${of > 0 ? Math.min(100, (part / of) * 100) : 0}%`;
