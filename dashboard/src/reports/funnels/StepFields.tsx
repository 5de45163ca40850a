import { ActionIcon, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ConditionFields } from '../../conditions/ConditionFields';
import { type Happened, type Kind, kindNames, type Named } from '../../conditions/conditions';
import { stepsQuery } from '../../conditions/queries';
import type { Place } from '../../scope/scope';
import { useView } from '../../scope/useView';
import { Icon } from '../../ui/Icon';
import { type Step, withCondition } from './draft';
import styles from './FunnelForm.module.css';

/** What conditions may be about. */
export type Known = {
  place: Place;
  goals: readonly Named[];
  flows: readonly Named[];
  happened: Happened | null | undefined;
};

type Props = {
  /** What it is: “Step 1”, “Exclusion 2”. */
  label: string;
  step: Step;
  /** An exclusion is a condition only, and has no name. */
  exclusion?: boolean;
  known: Known;
  change: (step: Step) => void;
  /** Changes places with the one before; undefined for the first. */
  up?: () => void;
  /** Undefined where too few would be left. */
  remove?: () => void;
};

/** A step as what it asks for: a goal, or a condition. */
export function StepFields({ label, step, exclusion = false, known, change, up, remove }: Props) {
  const { place, goals, flows, happened } = known;
  const { search } = useView();
  const { kind, flow } = step.condition;
  const steps =
    useQuery(stepsQuery(place, search, kind === 'flow' ? flow : undefined)).data?.data.flowAnalytics?.funnel?.steps ??
    [];
  const isGoal = step.goal !== undefined;
  const kinds = { ...(!exclusion && goals.length > 0 && { goal: 'Goal' }), ...kindNames };
  const become = (next: string | null) => {
    if (next === 'goal') change({ ...step, goal: '', name: '' });
    else if (next) change(withCondition(step, { kind: next as Kind, text: '' }, flows, steps));
  };
  return (
    <fieldset className={styles.step} aria-label={label}>
      <div className={styles.head}>
        <b>{label}</b>
        <Select
          aria-label={`Kind of ${label.toLowerCase()}`}
          size="xs"
          w={116}
          allowDeselect={false}
          value={isGoal ? 'goal' : kind}
          data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
          onChange={become}
        />
        {up && (
          <ActionIcon variant="subtle" color="gray" aria-label={`Move ${label.toLowerCase()} up`} onClick={up}>
            <span aria-hidden="true">↑</span>
          </ActionIcon>
        )}
        {remove && (
          <ActionIcon variant="subtle" color="gray" aria-label={`Remove ${label.toLowerCase()}`} onClick={remove}>
            <Icon name="close" size={14} />
          </ActionIcon>
        )}
      </div>
      {isGoal ? (
        <Select
          label="Goal is"
          searchable
          value={step.goal || null}
          data={goals.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(goal) => change({ ...step, goal: goal ?? '' })}
        />
      ) : (
        <ConditionFields
          draft={step.condition}
          change={(part) => change(withCondition(step, part, flows, steps))}
          flows={flows}
          steps={steps}
          happened={happened}
        />
      )}
      {!isGoal && !exclusion && (
        <TextInput
          label="Step name"
          maxLength={100}
          value={step.name}
          onChange={(event) => change({ ...step, name: event.currentTarget.value })}
        />
      )}
    </fieldset>
  );
}
