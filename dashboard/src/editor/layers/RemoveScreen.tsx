import { Button, Group, Modal } from '@mantine/core';
import { useReturnFocus } from '../../ui/useReturnFocus';
import { find } from '../document/canonical';
import { removeScreen } from '../document/commands/screens';
import { nodeOf } from '../document/document';
import { leadingTo } from '../document/leading';
import type { NodeId } from '../document/operation';
import { label } from '../document/words';
import { useEditing, useNode } from '../useEditor';

/** Asks before a screen is removed: says what leads to it, and where that leads afterwards. */
export function RemoveScreen({ screen, close }: { screen: NodeId; close: () => void }) {
  useReturnFocus();
  const { editor, say } = useEditing();
  useNode('flow'); // others may change what leads to it
  const node = nodeOf(editor.document, screen);
  const leading = leadingTo(editor.document, screen);
  const one = leading.length === 1;
  const next = find(node?.object, ['next', 'default']);
  const behind = typeof next === 'string' && next !== screen ? label(editor.document, next) : undefined;
  const may = removeScreen.when(editor, { screen });
  const remove = () => {
    close();
    say(editor.run(removeScreen, { screen }));
  };
  return (
    <Modal
      opened
      onClose={close}
      title={node ? `Delete ${label(editor.document, screen)}?` : 'The screen was removed'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {may !== true ? (
        <p>{may}.</p>
      ) : leading.length === 0 ? (
        <p>Nothing leads to it. Undo brings it back.</p>
      ) : (
        <>
          <p>{one ? 'This leads to it:' : 'These lead to it:'}</p>
          <ul>
            {leading.slice(0, 8).map((words) => (
              <li key={words}>{words}</li>
            ))}
            {leading.length > 8 && <li>and {leading.length - 8} more</li>}
          </ul>
          <p>
            {behind
              ? `${one ? 'It leads' : 'They lead'} to ${behind} afterwards.`
              : 'No screen is behind it: the flow ends there afterwards, and what needs a screen is shown as a problem.'}{' '}
            Undo brings it back.
          </p>
        </>
      )}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close} data-autofocus={may !== true || undefined}>
          Cancel
        </Button>
        {may === true && (
          <Button variant="subtle" color="red" onClick={remove} data-autofocus>
            Delete screen
          </Button>
        )}
      </Group>
    </Modal>
  );
}
