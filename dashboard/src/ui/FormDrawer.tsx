import { Drawer, type DrawerProps } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Unsaved } from './Unsaved';

/** Called by a form with whether it has changes that are not saved. */
export type Note = (changed: boolean) => void;

type Props = Pick<DrawerProps, 'opened' | 'title' | 'size'> & {
  close: () => void;
  /** What would be lost, such as “the funnel”. */
  what: string;
  children: (note: Note) => ReactNode;
};

/** A form at the side of a page. Closing it, like leaving the page, asks before changes are lost. */
export function FormDrawer({ close, what, children, ...drawer }: Props) {
  const changed = useRef(false);
  const [asked, setAsked] = useState(false);
  const { current: note } = useRef<Note>((is) => {
    changed.current = is;
  });
  return (
    <>
      <Drawer
        {...drawer}
        position="right"
        closeButtonProps={{ 'aria-label': 'Close' }}
        closeOnEscape={!asked}
        onClose={() => {
          // Not at once: the key press that closes the form would close the question as well.
          if (changed.current) setTimeout(() => setAsked(true));
          else close();
        }}
      >
        {children(note)}
      </Drawer>
      <Unsaved
        changed={changed}
        what={what}
        asked={asked}
        answer={(discard) => {
          setAsked(false);
          if (discard) close();
        }}
      />
    </>
  );
}

/** Tells the drawer of a form whether the form has changes, and that it has none once it is gone. */
export function useNote(note: Note, changed: boolean) {
  useEffect(() => {
    note(changed);
    return () => note(false);
  }, [note, changed]);
}
