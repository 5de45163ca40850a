import { ActionIcon } from '@mantine/core';
import { useFocusTrap, useMediaQuery, useMergedRef } from '@mantine/hooks';
import { type ComponentProps, useLayoutEffect, useRef, useState } from 'react';
import { Icon } from '../../ui/Icon';
import { useEditing, useNode, useSelection } from '../useEditor';
import styles from './Preview.module.css';
import { Run, type Shows } from './Run';

type Props = Pick<ComponentProps<typeof Run>, 'id' | 'devices' | 'locales' | 'look'> & {
  close: () => void;
  /** The id of the device that the canvas shows. */
  device: string;
  /** Opens a window that shows the same; it stays open when the drawer closes. */
  openWindow: (shows: Shows) => void;
};

/** Runs the draft beside the editor. It begins with the selected screen. */
export function Preview({ close, device, openWindow, ...rest }: Props) {
  const { locale, theme } = useEditing();
  const flow = useNode('flow')!;
  const { screen: selected } = useSelection();
  const [begins] = useState<Shows>(() => ({
    screen: selected && selected !== flow.entryScreenId ? selected : '',
    device,
    platform: 'ios',
    locale,
    theme,
  }));
  const isNarrow = useMediaQuery('(max-width: 900px)', undefined, { getInitialValueInEffect: false });
  const isWide = useMediaQuery('(min-width: 1800px)', undefined, { getInitialValueInEffect: false });
  const [details, setDetails] = useState(!!isWide);
  const head = useRef<HTMLHeadingElement>(null);
  const drawer = useRef<HTMLDivElement>(null);
  const ref = useMergedRef(drawer, useFocusTrap(!!isNarrow));
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    const own = drawer.current!;
    head.current?.focus();
    return () => {
      if (own.contains(document.activeElement)) before?.focus();
    };
  }, []);
  return (
    <div
      ref={ref}
      className={styles.drawer}
      role="dialog"
      aria-modal={isNarrow || undefined}
      aria-label="Preview"
      data-details={details || undefined}
      onKeyDown={(event) => {
        const target = event.target as Element;
        // What is open in it is closed first.
        const isOwn = event.currentTarget.contains(target) && target.getAttribute('aria-expanded') !== 'true';
        if (event.key !== 'Escape' || event.defaultPrevented || !isOwn) return;
        event.preventDefault();
        close();
      }}
    >
      <Run
        {...rest}
        begins={begins}
        details={details}
        setDetails={setDetails}
        leave={close}
        title={
          <h2 ref={head} tabIndex={-1} data-autofocus>
            Preview
          </h2>
        }
        acts={(shows) => (
          <>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label="Open in a new window"
              title="Open in a new window"
              onClick={() => {
                openWindow(shows);
                close();
              }}
            >
              <Icon name="window" />
            </ActionIcon>
            <ActionIcon variant="subtle" color="gray" aria-label="Close the preview" onClick={close}>
              <Icon name="close" />
            </ActionIcon>
          </>
        )}
      />
    </div>
  );
}
