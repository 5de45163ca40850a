import { Button, Modal } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import form from './Form.module.css';

type Props = {
  /** Whether there is anything that would be lost. */
  changed: boolean;
  /** What would be, such as “the workflow”. */
  what: string;
};

/** Asks before what was not saved is lost: by another page, another part of this one, or a closed tab. */
export function Unsaved({ changed, what }: Props) {
  const { status, proceed, reset } = useBlocker({
    // Another range or filter of this part keeps it.
    shouldBlockFn: ({ current, next }) =>
      changed && (current.pathname !== next.pathname || partOf(current.search) !== partOf(next.search)),
    enableBeforeUnload: () => changed,
    withResolver: true,
  });
  return (
    <Modal opened={status === 'blocked'} onClose={() => reset?.()} title="Leave without saving?">
      <p>Your changes to {what} are not saved.</p>
      <div className={form.acts} data-at="end">
        <Button variant="subtle" color="red" onClick={() => proceed?.()}>
          Discard changes
        </Button>
        <Button data-autofocus onClick={() => reset?.()}>
          Keep editing
        </Button>
      </div>
    </Modal>
  );
}

const partOf = (search: object) => (search as { part?: unknown }).part;
