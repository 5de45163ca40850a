import { Button, Modal } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import form from './Form.module.css';

type Props = {
  /** Whether there is anything that would be lost; as a ref where that is known between two drawings. */
  changed: boolean | { readonly current: boolean };
  /** What would be, such as “the workflow”. */
  what: string;
  /** Whether somebody closes what has the changes, without leaving the page. */
  asked?: boolean;
  /** What they say then. */
  answer?: (discard: boolean) => void;
};

/** Asks before what was not saved is lost: by another page, another part of this one, or a closed tab. */
export function Unsaved({ changed, what, asked = false, answer }: Props) {
  const isChanged = () => (typeof changed === 'boolean' ? changed : changed.current);
  const { status, proceed, reset } = useBlocker({
    // Another range or filter of this part keeps it.
    shouldBlockFn: ({ current, next }) =>
      isChanged() && (current.pathname !== next.pathname || partOf(current.search) !== partOf(next.search)),
    enableBeforeUnload: isChanged,
    withResolver: true,
  });
  const blocked = status === 'blocked';
  const keep = () => (blocked ? reset?.() : answer?.(false));
  return (
    <Modal opened={blocked || asked} onClose={keep} title={asked ? 'Close without saving?' : 'Leave without saving?'}>
      <p>Your changes to {what} are not saved.</p>
      <div className={form.acts} data-at="end">
        <Button variant="subtle" color="red" onClick={() => (blocked ? proceed?.() : answer?.(true))}>
          Discard changes
        </Button>
        <Button data-autofocus onClick={keep}>
          Keep editing
        </Button>
      </div>
    </Modal>
  );
}

const partOf = (search: object) => (search as { part?: unknown }).part;
