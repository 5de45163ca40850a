import { Button, NumberInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';

import { may } from '../app/session/session';
import { send } from '../graphql/send';
import { Card } from '../ui/Card';
import { Confirm } from '../ui/Confirm';
import { formatExact, formatShort } from '../ui/format';
import { useAct } from '../ui/useAct';
import { useDraft } from '../ui/useDraft';
import styles from './Experiments.module.css';
import { GoalPicker } from './GoalPicker';
import {
  choicesQuery,
  deleteDocument,
  type ExperimentDetail,
  experimentsChanged,
  planQuery,
  startDocument,
  updateDocument,
  versionsOf,
} from './queries';
import { SplitBy, splits } from './SplitBy';
import { Variants } from './Variants';
import { lacks, toInput, type Variant } from './variants';

const appRoute = getRouteApi('/apps/$app/$environment');
const experimentRoute = getRouteApi('/apps/$app/$environment/experiments/$experiment');

/** A draft: its variants and weights, how long it takes, and its start in two steps. */
export function Setup({ experiment }: { experiment: ExperimentDetail }) {
  const { access } = appRoute.useRouteContext();
  const plan = useQuery(planQuery(experiment.id));
  const editable = may(access, 'EXPERIMENT_MANAGE');
  const decides = experiment.goals.find(({ primary }) => primary)?.goal.name;
  const measured = decides ? `“${decides}”` : 'completion';
  return (
    <div className={styles.cards}>
      <Card
        title="Duration"
        answer={plan}
        part={({ experimentPlan }) => experimentPlan}
        path="experimentPlan"
        waiting={{ height: 120 }}
      >
        {({ measuredBaseline, measuredPeople, baseline, effect, peoplePerVariant, lastFortnight, days }) => (
          <>
            <p className={styles.verdict} data-tone="open">
              {days === null
                ? 'No user came to this channel in the last 14 days, so the duration is unknown.'
                : `About ${days === 1 ? 'one day' : `${days} days`}, at the traffic of the last 14 days.`}
            </p>
            <ul className={styles.notes}>
              <li>
                Each variant needs {formatExact(peoplePerVariant, 'count')} users to detect a difference of{' '}
                {formatShort(effect, 'share')} at a {decides ? 'conversion' : 'completion'} rate of{' '}
                {formatShort(baseline, 'share')}.
              </li>
              <li>
                {measuredBaseline === null
                  ? 'The control has no runs in the last 30 days to measure.'
                  : `Rate of ${measured} of the control: ${formatShort(measuredBaseline, 'share')} of ${formatExact(measuredPeople, 'count')} users in the last 30 days.`}
              </li>
              <li>{formatExact(lastFortnight, 'count')} users came to the channel in the last 14 days.</li>
            </ul>
            {editable && <Planner key={experiment.id} experiment={experiment} effect={effect} />}
          </>
        )}
      </Card>
      <section aria-label="Variants" className={styles.setup}>
        <h2>Variants on {experiment.channel.name}</h2>
        {editable ? (
          <>
            <GoalPicker key={`goals ${experiment.id}`} experiment={experiment} />
            <ChooseSplit key={experiment.id} experiment={experiment} />
            <WriteVariants key={experiment.id} experiment={experiment} />
          </>
        ) : (
          <dl className={styles.variants}>
            <div>
              <dt>Primary metric</dt>
              <dd>{decides ?? 'Completed flow'}</dd>
            </div>
            <div>
              <dt>Split by</dt>
              <dd>{splits[experiment.splitBy].label}</dd>
            </div>
            {experiment.variants.map(({ id, key, name, weight, version }) => (
              <div key={id}>
                <dt>
                  {name || key}, weight {weight}
                </dt>
                <dd>{version ? `${version.flow.name} v${version.number}` : 'no version yet'}</dd>
              </div>
            ))}
          </dl>
        )}
      </section>
    </div>
  );
}

/** The difference that the experiment is to find: the smaller, the longer it takes. */
function Planner({ experiment, effect }: { experiment: ExperimentDetail; effect: number }) {
  const { draft, type, sent } = useDraft<{ points: number | string }>({ points: Math.round(effect * 1000) / 10 });
  const { act, busy, problem } = useAct();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await act(async () => {
      const planner = { ...(experiment.planner as object | null), effect: Number(draft.points) / 100 };
      await send(updateDocument, { input: { id: experiment.id, planner } });
      await experimentsChanged();
      sent(draft);
    });
  };
  return (
    <form className={styles.planner} onSubmit={submit}>
      <NumberInput
        label="Minimum detectable effect, in points"
        min={0.1}
        max={50}
        decimalScale={1}
        w={200}
        value={draft.points}
        onChange={(points) => type({ points })}
        error={problem}
      />
      <Button type="submit" variant="default" loading={busy !== ''}>
        Update plan
      </Button>
    </form>
  );
}

/** What the experiment is split by, saved as it is chosen. */
function ChooseSplit({ experiment }: { experiment: ExperimentDetail }) {
  const { act, problem } = useAct();
  return (
    <SplitBy
      value={experiment.splitBy}
      problem={problem}
      change={(splitBy) =>
        void act(async () => {
          await send(updateDocument, { input: { id: experiment.id, splitBy } });
          await experimentsChanged();
        })
      }
    />
  );
}

/** The variants, which change until the start; a change that is not saved keeps it from starting. */
function WriteVariants({ experiment }: { experiment: ExperimentDetail }) {
  const place = experimentRoute.useParams();
  const choices = useQuery(choicesQuery(place)).data?.data.app;
  const saved: readonly Variant[] = experiment.variants.map(({ key, name, weight, version }) => ({
    key,
    name: name || key,
    weight,
    versionId: version?.id ?? null,
  }));
  const { draft, changed, type, sent, undo } = useDraft({ variants: saved });
  const { act, busy, problem } = useAct();
  const lacking = lacks(draft.variants);
  const save = () =>
    act(async () => {
      await send(updateDocument, { input: { id: experiment.id, variants: toInput(draft.variants) } });
      await experimentsChanged();
      sent(draft);
    });
  return (
    <>
      <Variants variants={draft.variants} versions={versionsOf(choices)} change={(variants) => type({ variants })} />
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
      {changed ? (
        <div className={styles.planner}>
          <Button disabled={lacking !== undefined} title={lacking} loading={busy !== ''} onClick={() => void save()}>
            Save variants
          </Button>
          <Button variant="subtle" onClick={undo}>
            Undo
          </Button>
        </div>
      ) : (
        <Start experiment={experiment} />
      )}
    </>
  );
}

function Start({ experiment }: { experiment: ExperimentDetail }) {
  const place = experimentRoute.useParams();
  const navigate = useNavigate();
  const [checked, setChecked] = useState(false);
  const { act, busy, problem } = useAct();
  const start = (dryRun: boolean) =>
    act(async () => {
      await send(startDocument, { id: experiment.id, dryRun });
      setChecked(true);
      if (!dryRun) await experimentsChanged();
    }, 'start');
  return (
    <>
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
      {checked && !problem && (
        <p role="status">
          Ready to start. From then on all users who open {experiment.channel.name} get one of the variants, and weights
          are fixed.
        </p>
      )}
      <div className={styles.planner}>
        {checked && !problem ? (
          <Button loading={busy === 'start'} onClick={() => void start(false)}>
            Start experiment
          </Button>
        ) : (
          <Button variant="default" loading={busy === 'start'} onClick={() => void start(true)}>
            Check
          </Button>
        )}
        <Confirm
          meaning="The draft cannot be restored. Delete?"
          loading={busy === 'delete'}
          act={() =>
            void act(async () => {
              await send(deleteDocument, { id: experiment.id });
              await navigate({ to: '/apps/$app/$environment/experiments', params: place });
              await experimentsChanged();
            }, 'delete')
          }
        >
          Delete draft
        </Confirm>
      </div>
    </>
  );
}
