import { Autocomplete, Button, Checkbox, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { GoalConditionInput } from '../../graphql/schema.gen';
import type { Place } from '../../scope/scope';
import { useView } from '../../scope/useView';
import { Confirm } from '../../ui/Confirm';
import { Problem } from '../../ui/Problem';
import { SegmentedControl } from '../../ui/SegmentedControl';
import { useAct } from '../../ui/useAct';
import {
  conditionOf,
  type Draft,
  draftOf,
  emptyDraft,
  type Kind,
  kindNames,
  type Named,
  nameOf,
  outcomeNames,
  suggested,
} from './conditions';
import styles from './GoalForm.module.css';
import { createGoal, deleteGoal, stepsQuery, suggestionsQuery, updateGoal } from './queries';

type Goal = Named & { condition: unknown };
type Props = {
  place: Place;
  /** The goal that is changed; undefined for a new one. */
  goal: Goal | undefined;
  goals: readonly Goal[];
  flows: readonly Named[];
  done: () => void;
  deleted: () => void;
};

/** Adds a goal, or changes one. A name that nobody typed follows the condition. */
export function GoalForm({ place, goal, goals, flows, done, deleted }: Props) {
  const { search } = useView();
  const before = goal?.condition as GoalConditionInput | undefined;
  const [draft, setDraft] = useState<Draft>(before ? draftOf(before) : emptyDraft);
  const [typed, setTyped] = useState(goal?.name);
  const { act, busy, problem } = useAct();
  const happened = useQuery(suggestionsQuery(place, search)).data?.data.app?.productAnalytics;
  const asked = stepsQuery(place, search, draft.kind === 'flow' ? draft.flow : undefined);
  const steps = useQuery(asked).data?.data.flowAnalytics?.funnel?.steps ?? [];
  const name = typed ?? nameOf(draft, flows, steps).slice(0, 100);
  const condition = conditionOf(draft, before);
  const suggestions = goal ? [] : suggested(happened, flows, goals);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!condition) return;
    const save = () => (goal ? updateGoal(goal.id, name.trim(), condition) : createGoal(place, name.trim(), condition));
    if (await act(save, 'save')) done();
  };
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      {suggestions.length > 0 && (
        <fieldset className={styles.suggestions}>
          <legend>Suggestions</legend>
          {suggestions.map((suggestion) => (
            <Button
              key={JSON.stringify(suggestion)}
              size="compact-sm"
              variant="default"
              onClick={() => {
                setDraft(suggestion);
                setTyped(undefined);
              }}
            >
              {nameOf(suggestion, flows)}
            </Button>
          ))}
        </fieldset>
      )}
      <SegmentedControl
        aria-label="Kind of goal"
        size="xs"
        fullWidth
        value={draft.kind}
        onChange={(kind) => setDraft({ ...draft, kind: kind as Kind, text: '' })}
        data={Object.entries(kindNames).map(([value, label]) => ({ value, label }))}
      />
      <Condition
        draft={draft}
        change={(part) => setDraft({ ...draft, ...part })}
        flows={flows}
        steps={steps}
        happened={happened}
      />
      <TextInput label="Name" maxLength={100} value={name} onChange={(event) => setTyped(event.currentTarget.value)} />
      <Problem text={problem} />
      <div className={styles.acts}>
        <Button type="submit" loading={busy === 'save'} disabled={!condition || name.trim() === ''}>
          {goal ? 'Save goal' : 'Add goal'}
        </Button>
        {goal && (
          <Confirm
            meaning="Delete for all members"
            loading={busy === 'delete'}
            act={() => void act(() => deleteGoal(goal.id), 'delete').then((gone) => gone && deleted())}
          >
            Delete…
          </Confirm>
        )}
      </div>
    </form>
  );
}

type ConditionProps = {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  flows: readonly Named[];
  /** Of the chosen flow. */
  steps: readonly Named[];
  happened: Parameters<typeof suggested>[0];
};

function Condition({ draft, change, flows, steps, happened }: ConditionProps) {
  const { kind, text, contains, flow, outcome, step, products, least } = draft;
  switch (kind) {
    case 'event':
      return (
        <Autocomplete
          label="Event is"
          value={text}
          onChange={(text) => change({ text })}
          data={(happened?.events?.nodes ?? []).map(({ name }) => name)}
        />
      );
    case 'page':
    case 'screen':
      return (
        <>
          <Autocomplete
            label={`${kindNames[kind]} ${contains ? 'contains' : 'is'}`}
            description={contains ? undefined : '* stands for text without a slash, ** for any text: /blog/**'}
            value={text}
            onChange={(text) => change({ text })}
            data={(happened?.screens?.nodes ?? [])
              .filter((view) => view.kind === (kind === 'page' ? 'PAGE' : 'SCREEN'))
              .map(({ value }) => value)}
          />
          <Checkbox
            label="Any name that contains the text"
            checked={contains}
            onChange={(event) => change({ contains: event.currentTarget.checked })}
          />
        </>
      );
    case 'flow':
      return (
        <>
          <Select
            label="Flow"
            searchable
            value={flow || null}
            onChange={(flow) => change({ flow: flow ?? '', step: '' })}
            data={flows.map(({ id, name }) => ({ value: id, label: name }))}
          />
          <Select
            label="Outcome"
            allowDeselect={false}
            value={outcome}
            onChange={(outcome) => change({ outcome: outcome as Draft['outcome'] })}
            data={Object.entries(outcomeNames).map(([value, label]) => ({ value, label }))}
          />
          {outcome === 'STEP_REACHED' && (
            <Select
              label="Step"
              searchable
              nothingFoundMessage="No runs of this flow in this period."
              value={step || null}
              onChange={(step) => change({ step: step ?? '' })}
              data={stepChoices(steps, step)}
            />
          )}
        </>
      );
    case 'purchase':
      return (
        <>
          <TextInput
            label="Products"
            description="IDs by commas; empty for any product"
            value={products}
            onChange={(event) => change({ products: event.currentTarget.value })}
          />
          <TextInput
            label="At least"
            description="US dollars; empty for any amount"
            inputMode="decimal"
            value={least}
            onChange={(event) => change({ least: event.currentTarget.value })}
          />
        </>
      );
  }
}

/** The steps by their names; steps of one name, and the chosen one that is none of them, with their IDs. */
function stepChoices(steps: readonly Named[], chosen: string) {
  const all = chosen && !steps.some(({ id }) => id === chosen) ? [...steps, { id: chosen, name: chosen }] : steps;
  return all.map(({ id, name }) => ({
    value: id,
    label: all.some((other) => other.id !== id && other.name === name) ? `${name} (${id})` : name,
  }));
}
