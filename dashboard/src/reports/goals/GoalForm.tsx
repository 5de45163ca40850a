import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ConditionFields } from '../../conditions/ConditionFields';
import {
  byRuns,
  conditionOf,
  type Draft,
  draftOf,
  emptyDraft,
  type Kind,
  kindNames,
  type Named,
  nameOf,
  suggested,
} from '../../conditions/conditions';
import { stepsQuery, suggestionsQuery } from '../../conditions/queries';
import { Suggestions } from '../../conditions/Suggestions';
import type { GoalConditionInput } from '../../graphql/schema.gen';
import type { Place } from '../../scope/scope';
import { useView } from '../../scope/useView';
import { FormActs } from '../../ui/FormActs';
import { type Note, useNote } from '../../ui/FormDrawer';
import { Problem } from '../../ui/Problem';
import { SegmentedControl } from '../../ui/SegmentedControl';
import { useAct } from '../../ui/useAct';
import styles from './GoalForm.module.css';
import { createGoal, deleteGoal, updateGoal } from './queries';

type Goal = Named & { condition: unknown };
type Props = {
  place: Place;
  /** The goal that is changed; undefined for a new one. */
  goal: Goal | undefined;
  goals: readonly Goal[];
  flows: readonly Named[];
  done: () => void;
  deleted: () => void;
  /** Told of changes that are not saved. */
  note: Note;
};

/** Adds a goal, or changes one. A name that nobody typed follows the condition. */
export function GoalForm({ place, goal, goals, flows, done, deleted, note }: Props) {
  const { search } = useView();
  const before = goal?.condition as GoalConditionInput | undefined;
  const [draft, setDraft] = useState<Draft>(before ? draftOf(before) : emptyDraft);
  const [initial] = useState(draft);
  const [typed, setTyped] = useState(goal?.name);
  useNote(note, draft !== initial || typed !== goal?.name);
  const { act, busy, problem } = useAct();
  const app = useQuery(suggestionsQuery(place, search)).data?.data.app;
  const happened = app?.productAnalytics;
  const asked = stepsQuery(place, search, draft.kind === 'flow' ? draft.flow : undefined);
  const steps = useQuery(asked).data?.data.flowAnalytics?.funnel?.steps ?? [];
  const name = typed ?? nameOf(draft, flows, steps).slice(0, 100);
  const condition = conditionOf(draft, before);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!condition) return;
    const save = () => (goal ? updateGoal(goal.id, name.trim(), condition) : createGoal(place, name.trim(), condition));
    if (await act(save, 'save')) done();
  };
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      <Suggestions
        suggestions={goal ? [] : suggested(happened, byRuns(flows, app), goals)}
        nameOf={(suggestion) => nameOf(suggestion, flows)}
        take={(suggestion) => {
          setDraft(suggestion);
          setTyped(undefined);
        }}
      />
      <SegmentedControl
        aria-label="Kind of goal"
        size="xs"
        fullWidth
        value={draft.kind}
        onChange={(kind) => setDraft({ ...draft, kind: kind as Kind, text: '' })}
        data={Object.entries(kindNames).map(([value, label]) => ({ value, label }))}
      />
      <ConditionFields
        draft={draft}
        change={(part) => setDraft({ ...draft, ...part })}
        flows={flows}
        steps={steps}
        happened={happened}
      />
      <TextInput label="Name" maxLength={100} value={name} onChange={(event) => setTyped(event.currentTarget.value)} />
      <Problem text={problem} />
      <FormActs
        act={act}
        busy={busy}
        save={goal ? 'Save goal' : 'Add goal'}
        disabled={!condition || name.trim() === ''}
        remove={goal && (() => deleteGoal(goal.id))}
        removed={deleted}
      />
    </form>
  );
}
