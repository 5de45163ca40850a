import { Icon } from '../../../ui/Icon';
import { addCase, casesOf, moveCase, removeCase } from '../../document/commands/cases';
import { type Found, nodeOf } from '../../document/document';
import { writtenEnd } from '../../document/exits';
import type { Json, NodeId } from '../../document/operation';
import { nameOf } from '../../names';
import { stepsIn } from '../../steps';
import { useEditing, useNode } from '../../useEditor';
import { ChoiceInput } from '../controls/ChoiceInput';
import { TextArea } from '../controls/TextArea';
import { CaseCondition } from './CaseCondition';
import styles from './Conditions.module.css';
import { firstCondition, useSubjects } from './useCondition';

/** The cases of a decision or a condition as sentences, in the order in which they are tried: "When … go to …, otherwise
 * go to …". */
export function Cases({ id }: { id: NodeId }) {
  const { editor, say, canEdit } = useEditing();
  useNode(id);
  const node = nodeOf(editor.document, id);
  const subjects = useSubjects(node?.kind === 'conditional' ? id : undefined);
  if (!node) return null;
  const cases = casesOf(node);
  const decides = node.kind === 'decision';
  return (
    <div className={styles.cases}>
      <ol>
        {cases.map((item, i) => (
          <li key={item.id} className={styles.case}>
            <div className={styles.head}>
              <b>{i === 0 ? 'When' : 'Or else, when'}</b>
              {canEdit && cases.length > 1 && (
                <Reorder item={item.id} name={`case ${i + 1}`} first={i === 0} last={i === cases.length - 1} />
              )}
            </div>
            <CaseName item={item} label={`Name of case ${i + 1}`} />
            <CaseCondition item={item} subjects={subjects} label={`Condition of case ${i + 1}`} />
            <Leads node={item} slot={decides ? 'next' : 'rootLayerId'} label={`Case ${i + 1} leads to`} />
          </li>
        ))}
        <li className={styles.case}>
          <b>Otherwise</b>
          <Leads node={node} slot={decides ? 'elseNext' : 'elseRootLayerId'} label="Otherwise leads to" />
        </li>
      </ol>
      {canEdit && (
        <button
          type="button"
          className={styles.add}
          onClick={() =>
            say(editor.run(addCase, { node: id, expression: firstCondition(subjects, editor.document, id) }))
          }
        >
          <Icon name="plus" size={12} /> Case
        </button>
      )}
    </div>
  );
}

/** What a case is called on the graph and in reports; by default by its condition. */
function CaseName({ item: { id, object }, label }: { item: Found; label: string }) {
  const { editor } = useEditing();
  const path = ['name'];
  const write = (value: string) =>
    editor.runStep(
      { name: '', operations: [value === '' ? { op: 'unset', node: id, path } : { op: 'set', node: id, path, value }] },
      { gesture: `property ${id} name` },
    );
  return (
    <TextArea
      id={`${id}-name`}
      label={label}
      value={typeof object.name === 'string' ? object.name : ''}
      placeholder="Name"
      single
      change={(text) => write([...text].slice(0, 80).join(''))}
      done={() => editor.endGesture()}
    />
  );
}

type ReorderProps = { item: NodeId; name: string; first: boolean; last: boolean };

function Reorder({ item, name, first, last }: ReorderProps) {
  const { editor, say } = useEditing();
  const move = (by: -1 | 1) => say(editor.run(moveCase, { item, by }));
  return (
    <span className={styles.acts}>
      <button
        type="button"
        aria-label={`Try ${name} earlier`}
        title="Earlier"
        disabled={first}
        onClick={() => move(-1)}
      >
        <span className={styles.up}>
          <Icon name="down" size={12} />
        </span>
      </button>
      <button type="button" aria-label={`Try ${name} later`} title="Later" disabled={last} onClick={() => move(1)}>
        <Icon name="down" size={12} />
      </button>
      <button
        type="button"
        aria-label={`Remove ${name}`}
        title="Remove"
        onClick={() => say(editor.run(removeCase, { item }))}
      >
        <Icon name="close" size={12} />
      </button>
    </span>
  );
}

type LeadsProps = { node: Found; slot: 'next' | 'elseNext' | 'rootLayerId' | 'elseRootLayerId'; label: string };

/** Where a case leads: a step to choose, or the stack that is shown, to go to. */
function Leads({ node, slot, label }: LeadsProps) {
  const { editor } = useEditing();
  const to = node.object[slot];
  if (slot === 'next' || slot === 'elseNext')
    return (
      <div className={styles.leads}>
        <span>go to</span>
        <StepInput label={label} value={to} change={(to) => set(to)} />
      </div>
    );
  const branch = nodeOf(editor.document, String(to));
  if (!branch) return null;
  const name = nameOf(branch.object, branch.kind);
  return (
    <div className={styles.leads}>
      <span>show</span>
      <button type="button" className={styles.add} onClick={() => editor.select({ nodes: [branch.id] })}>
        {name}
      </button>
    </div>
  );

  function set(value: string | null) {
    editor.runStep({ name: '', operations: [{ op: 'set', node: node.id, path: [slot], value }] });
  }
}

type StepProps = { label: string; value: Json | undefined; change: (to: string | null) => void };

/** A step of the flow, its end, or nothing yet: what a decision leads to has to be said. */
function StepInput({ label, value, change }: StepProps) {
  const { editor } = useEditing();
  return (
    <ChoiceInput
      label={label}
      value={typeof value === 'string' ? value : undefined}
      none="Choose a step"
      options={[...stepsIn(editor.document.flow), { value: writtenEnd, label: 'End of the flow' }]}
      change={(to) => change(to ?? null)}
    />
  );
}
