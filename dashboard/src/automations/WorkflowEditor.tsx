import { Button, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useRef, useState } from 'react';
import { send } from '../graphql/send';
import type { Place } from '../scope/scope';
import { noSuggestions, suggestionsQuery } from '../segments/queries';
import { Findings } from '../ui/Findings';
import { Icon } from '../ui/Icon';
import { Problem } from '../ui/Problem';
import { Unsaved } from '../ui/Unsaved';
import { useAct } from '../ui/useAct';
import { problemPlace, typeNames } from './cards';
import { EmailPreview } from './EmailPreview';
import {
  addStep,
  changeStep,
  type Definition,
  mayMoveDown,
  moveDown,
  newStep,
  placeOf,
  readDefinition,
  removeStep,
  type Spot,
  type Step,
  type StepType,
  stepTypes,
  targetOf,
} from './edit';
import { type Automation, automationChanged, saveDocument } from './queries';
import { Reach } from './Reach';
import { type Known, StepForm } from './StepForm';
import { TriggerForm } from './TriggerForm';
import { type EditPlaces, WorkflowDiagram } from './WorkflowDiagram';
import styles from './WorkflowEditor.module.css';

type Props = {
  automation: Automation;
  endpoints: ReadonlyMap<string, string>;
  /** Segments, goals and flows by id. */
  names: ReadonlyMap<string, string>;
  place: Place;
};

/** Between two steps of undo, in milliseconds. */
const pause = 1000;

/** The draft as cards on a line: steps are added by the plus between them, and edited beside. */
export function WorkflowEditor({ automation, endpoints, names, place }: Props) {
  const saved = readDefinition(automation.draft);
  // The draft after each change, the latest last; empty while it is as it was saved.
  const [history, setHistory] = useState<readonly Definition[]>([]);
  const [chosen, setChosen] = useState<string>();
  const { act, busy, problem } = useAct();
  const definition = history.at(-1) ?? saved;
  const step = definition.nodes.find(({ id }) => id === chosen);
  const { events, attributes } = useQuery(suggestionsQuery(place)).data ?? noSuggestions;
  const known: Known = { events, attributes: [...attributes.keys()] };
  const change = (next: Definition) => {
    if (next !== definition) setHistory((before) => [...before.slice(-199), next]);
  };
  // What is typed into one step without a pause is one step of undo.
  const latest = useRef({ of: '', at: 0 });
  const type = (next: Definition, of: string) => {
    const goesOn = latest.current.of === of && Date.now() - latest.current.at < pause;
    latest.current = { of, at: Date.now() };
    if (!goesOn || history.length === 0) change(next);
    else if (next !== definition) setHistory((before) => [...before.slice(0, -1), next]);
  };
  const undo = () => {
    latest.current = { of: '', at: 0 };
    setHistory((before) => before.slice(0, -1));
  };
  const save = () =>
    void act(async () => {
      await send(saveDocument, { id: automation.id, definition });
      await automationChanged();
      setHistory((before) => (before.at(-1) === definition ? [] : before));
    });
  const edit: EditPlaces = {
    chosen,
    choose: setChosen,
    adder: (spot, name) => (
      <Adder
        name={name}
        ends={isEnd(definition, spot)}
        add={(type) => {
          const added = newStep(definition, type, [...endpoints.keys()][0]);
          change(addStep(definition, spot, added));
          setChosen(added.id);
        }}
      />
    ),
  };
  const keys = (event: KeyboardEvent) => {
    const typing = (event.target as HTMLElement).matches('input, textarea, select');
    if (!typing && event.key === 'z' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      undo();
    }
    if (event.key === 'Escape') setChosen(undefined);
    if (!typing && step && (event.key === 'Delete' || event.key === 'Backspace')) {
      event.preventDefault();
      change(removeStep(definition, step.id));
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the buttons inside
    <div className={styles.editor} onKeyDown={keys}>
      <Unsaved changed={history.length > 0} what="the workflow" />
      <div className={styles.bar}>
        <Button loading={busy !== ''} disabled={history.length === 0} onClick={save}>
          Save draft
        </Button>
        <Button variant="default" disabled={history.length === 0} onClick={undo}>
          Undo
        </Button>
        {history.length > 0 && (
          <Button variant="subtle" onClick={() => setHistory([])}>
            Discard changes
          </Button>
        )}
        {history.length === 0 && <Reach automation={automation} />}
        <Problem text={problem} />
      </div>
      {history.length === 0 && (
        <Findings
          findings={automation.problems}
          name={(pointer) => problemPlace(definition, pointer, endpoints)}
          go={(pointer) => setChosen(placeOf(definition, pointer).step?.id ?? 'trigger')}
        />
      )}
      <div className={styles.sides}>
        <WorkflowDiagram
          definition={definition}
          figures={automation.figures}
          endpoints={endpoints}
          names={names}
          edit={edit}
        />
        {chosen === 'trigger' && (
          <Panel title="Trigger" close={() => setChosen(undefined)}>
            <TriggerForm definition={definition} place={place} known={known} change={(next) => type(next, 'trigger')} />
          </Panel>
        )}
        {step && (
          <Panel title={typeNames[step.type as StepType] ?? step.type} close={() => setChosen(undefined)}>
            <StepForm
              key={step.id}
              step={step}
              endpoints={endpoints}
              known={known}
              change={(step) => type(changeStep(definition, step), step.id)}
            />
            <div className={styles.bar}>
              <Button
                size="xs"
                variant="default"
                disabled={!mayMoveDown(definition, step.id)}
                onClick={() => change(moveDown(definition, step.id))}
              >
                Move down
              </Button>
              <Button size="xs" variant="subtle" color="red" onClick={() => change(removeStep(definition, step.id))}>
                Remove step
              </Button>
            </div>
            {step.type === 'email' && (
              <EmailPreview key={step.id} automation={automation.id} node={step.id} saved={isSaved(saved, step)} />
            )}
          </Panel>
        )}
      </div>
    </div>
  );
}

/** Tells whether a draft has a step as it is. */
const isSaved = ({ nodes }: Definition, step: Step) => {
  const before = nodes.find(({ id }) => id === step.id);
  return JSON.stringify(before) === JSON.stringify(step);
};

/** Tells whether nothing stands at a spot yet. */
function isEnd({ nodes }: Definition, { after, branch }: Spot): boolean {
  const before = nodes.find(({ id }) => id === after);
  return before ? targetOf(before, branch) === undefined : nodes.length === 0;
}

function Panel({ title, close, children }: { title: string; close: () => void; children: React.ReactNode }) {
  return (
    <section className={styles.panel} aria-label={title}>
      <header className={styles.panelHead}>
        <h2>{title}</h2>
        <button type="button" className={styles.remove} aria-label="Close" onClick={close}>
          <Icon name="close" size={14} />
        </button>
      </header>
      {children}
    </section>
  );
}

/** The plus on the line. What ends an entry can only stand where nothing follows. */
function Adder({ name, ends, add }: { name: string; ends: boolean; add: (type: StepType) => void }) {
  return (
    <Menu position="bottom" withinPortal>
      <Menu.Target>
        <button type="button" className={styles.plus} aria-label={name}>
          <Icon name="plus" size={12} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {stepTypes
          .filter((type) => ends || type !== 'exit')
          .map((type) => (
            <Menu.Item key={type} onClick={() => add(type)}>
              {typeNames[type]}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  );
}
