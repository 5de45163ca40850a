import { Button, Checkbox, Input, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { byRuns, type Draft as Condition, type Named, nameOf } from '../../conditions/conditions';
import { suggestionsQuery } from '../../conditions/queries';
import { Suggestions } from '../../conditions/Suggestions';
import type { Place } from '../../scope/scope';
import { useView } from '../../scope/useView';
import { FormActs } from '../../ui/FormActs';
import { type Note, useNote } from '../../ui/FormDrawer';
import { Problem } from '../../ui/Problem';
import { SegmentedControl } from '../../ui/SegmentedControl';
import { useAct } from '../../ui/useAct';
import {
  type Definition,
  type Draft,
  draftOfFunnel,
  funnelOf,
  limits,
  minutesOf,
  nameOfFunnel,
  newDraft,
  type Step,
  stepOf,
  suggestedSteps,
  type Unit,
  units,
} from './draft';
import styles from './FunnelForm.module.css';
import { createFunnel, deleteFunnel, updateFunnel } from './queries';
import { type Known, StepFields } from './StepFields';

export type Funnel = Named & { definition: unknown };

type Props = {
  place: Place;
  /** The funnel that is changed; undefined for a new one. */
  funnel: Funnel | undefined;
  /** What a new one begins with. */
  begin?: Draft;
  goals: readonly Named[];
  flows: readonly Named[];
  /** Called with the funnel's id. */
  done: (id: string) => void;
  deleted?: () => void;
  /** Told of changes that are not saved. */
  note: Note;
};

/** Adds a funnel, or changes one. A name that nobody typed follows the first and the last step. */
export function FunnelForm({ place, funnel, begin, goals, flows, done, deleted, note }: Props) {
  const { search } = useView();
  const [draft, setDraft] = useState<Draft>(() =>
    funnel ? draftOfFunnel(funnel.definition as Definition) : (begin ?? newDraft()),
  );
  const [initial] = useState(draft);
  const [typed, setTyped] = useState(funnel?.name);
  useNote(note, draft !== initial || typed !== funnel?.name);
  const { act, run, busy, problem } = useAct();
  const app = useQuery(suggestionsQuery(place, search)).data?.data.app;
  const happened = app?.productAnalytics;
  const known: Known = { place, goals, flows, happened };
  const toStep = (condition: Condition) => stepOf(condition, nameOf(condition, flows));
  const name = (typed ?? nameOfFunnel(draft, goals)).trim();
  const input = funnelOf(draft);
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!input) return;
    const save = () => (funnel ? updateFunnel(funnel.id, name, input) : createFunnel(place, name, input));
    const id = await run(save, 'save');
    if (!id) return;
    note(false);
    done(id);
  };
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      {!funnel && !begin && (
        <Suggestions
          suggestions={suggestedSteps(happened, byRuns(flows, app))}
          nameOf={(conditions) => nameOfFunnel({ steps: conditions.map(toStep) }, [])}
          take={(conditions) => {
            change({ steps: conditions.map(toStep) });
            setTyped(undefined);
          }}
        />
      )}
      <Steps draft={draft} known={known} change={change} />
      <Rules draft={draft} change={change} />
      <Exclusions draft={draft} known={known} change={change} />
      <TextInput
        label="Name"
        maxLength={100}
        value={typed ?? nameOfFunnel(draft, goals)}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Problem text={problem} />
      <FormActs
        act={act}
        busy={busy}
        save={funnel ? 'Save funnel' : 'Add funnel'}
        disabled={!input || name === ''}
        remove={funnel && (() => deleteFunnel(funnel.id))}
        removed={deleted}
      />
    </form>
  );
}

type PartProps = { draft: Draft; change: (part: Partial<Draft>) => void };

const replaced = (steps: readonly Step[], step: Step) => steps.map((other) => (other.key === step.key ? step : other));
const without = (steps: readonly Step[], { key }: Step) => steps.filter((step) => step.key !== key);

function Steps({ draft: { steps }, known, change }: PartProps & { known: Known }) {
  return (
    <>
      {steps.map((step, i) => (
        <StepFields
          key={step.key}
          label={`Step ${i + 1}`}
          step={step}
          known={known}
          change={(step) => change({ steps: replaced(steps, step) })}
          up={i > 0 ? () => change({ steps: without(steps, step).toSpliced(i - 1, 0, step) }) : undefined}
          remove={steps.length > limits.leastSteps ? () => change({ steps: without(steps, step) }) : undefined}
        />
      ))}
      {steps.length < limits.steps && (
        <Button variant="default" onClick={() => change({ steps: [...steps, stepOf()] })}>
          Add step
        </Button>
      )}
    </>
  );
}

function Rules({ draft: { by, window, unit, strict }, change }: PartProps) {
  return (
    <>
      <Input.Wrapper label="Count" labelElement="div">
        <SegmentedControl
          aria-label="Count"
          fullWidth
          value={by}
          onChange={(by) => change({ by: by as Draft['by'] })}
          data={[
            { value: 'VISITOR', label: 'Visitors' },
            { value: 'SESSION', label: 'Sessions' },
          ]}
        />
      </Input.Wrapper>
      {by === 'VISITOR' && (
        <div className={styles.window}>
          <TextInput
            label="Window"
            description="From the first step to the last"
            inputMode="decimal"
            value={window}
            error={minutesOf(window, unit) === undefined && 'From 1 minute to 90 days'}
            onChange={(event) => change({ window: event.currentTarget.value })}
          />
          <Select
            aria-label="Unit of the window"
            allowDeselect={false}
            value={unit}
            data={Object.keys(units).map((value) => ({ value, label: value }))}
            onChange={(unit) => change({ unit: unit as Unit })}
          />
        </div>
      )}
      <Checkbox
        label="Strict order"
        description="No other event or view may come between two steps, of the kinds that the steps ask for."
        checked={strict}
        onChange={(event) => change({ strict: event.currentTarget.checked })}
      />
    </>
  );
}

function Exclusions({ draft: { exclusions, by }, known, change }: PartProps & { known: Known }) {
  return (
    <>
      {exclusions.map((step, i) => (
        <StepFields
          key={step.key}
          label={`Exclusion ${i + 1}`}
          exclusion
          step={step}
          known={known}
          change={(step) => change({ exclusions: replaced(exclusions, step) })}
          remove={() => change({ exclusions: without(exclusions, step) })}
        />
      ))}
      {exclusions.length < limits.exclusions && (
        <div>
          <Button variant="subtle" size="compact-sm" onClick={() => change({ exclusions: [...exclusions, stepOf()] })}>
            Add exclusion
          </Button>
          <p className={styles.note}>
            {by === 'SESSION' ? 'Sessions' : 'Visitors'} that match an exclusion between two steps do not convert.
          </p>
        </div>
      )}
    </>
  );
}
