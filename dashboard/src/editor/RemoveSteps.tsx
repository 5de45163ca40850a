import { Button, Modal } from '@mantine/core';
import form from '../ui/Form.module.css';
import { useReturnFocus } from '../ui/useReturnFocus';
import { removeSteps, wayOn } from './document/commands/removeSteps';
import { removeScreen } from './document/commands/screens';
import { type Document, nodeOf } from './document/document';
import { end } from './document/exits';
import { leadingTo } from './document/leading';
import type { NodeId } from './document/operation';
import { label } from './document/words';
import { useEditing, useNode } from './useEditor';

/** Asks before steps are removed: says what leads to them, and where that leads afterwards. */
export function RemoveSteps({ steps, close }: { steps: readonly NodeId[]; close: () => void }) {
  useReturnFocus();
  const { editor, say } = useEditing();
  useNode('flow'); // others may change what leads to them
  const { document } = editor;
  const there = steps.filter((id) => nodeOf(document, id));
  const [first] = there;
  const leading = [...new Set(there.flatMap((id) => leadingTo(document, id)))];
  const screen = steps.length === 1 && nodeOf(document, steps[0]!)?.kind === 'screen';
  const may = removeSteps.when(editor, { steps });
  const remove = () => {
    close();
    say(screen ? editor.run(removeScreen, { screen: steps[0]! }) : editor.run(removeSteps, { steps }));
  };
  return (
    <Modal
      opened
      onClose={close}
      title={
        there.length > 1
          ? `Delete ${there.length} steps?`
          : first
            ? `Delete ${label(document, first)}?`
            : 'The step was removed'
      }
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {may !== true ? (
        <p>{may}.</p>
      ) : leading.length === 0 ? (
        <p>Nothing leads {there.length > 1 ? 'to them. Undo brings them back' : 'to it. Undo brings it back'}.</p>
      ) : (
        <>
          <p>{leading.length === 1 ? 'This leads there:' : 'These lead there:'}</p>
          <ul>
            {leading.slice(0, 8).map((words) => (
              <li key={words}>{words}</li>
            ))}
            {leading.length > 8 && <li>and {leading.length - 8} more</li>}
          </ul>
          <p>
            {afterwards(document, there, leading.length === 1)} Undo brings {there.length > 1 ? 'them' : 'it'} back.
          </p>
        </>
      )}
      <div className={form.acts} data-at="end">
        <Button variant="default" onClick={close} data-autofocus={may !== true || undefined}>
          Cancel
        </Button>
        {may === true && (
          <Button variant="subtle" color="red" onClick={remove} data-autofocus>
            {screen ? 'Delete screen' : steps.length > 1 ? 'Delete steps' : 'Delete step'}
          </Button>
        )}
      </div>
    </Modal>
  );
}

/** Says where what led to steps leads when they are gone. */
function afterwards(document: Document, steps: readonly NodeId[], one: boolean): string {
  const on = new Set(steps.map((id) => wayOn(document, id, new Set(steps))));
  const [to] = on;
  if (on.size > 1) return `${one ? 'It leads' : 'They lead'} to what came behind each of them afterwards.`;
  if (to === undefined) return `${one ? 'It goes' : 'They go'} the way of what is around afterwards, or end the flow.`;
  if (to === end) return 'The flow ends there afterwards.';
  return `${one ? 'It leads' : 'They lead'} to ${label(document, to)} afterwards.`;
}
