import { DEFAULT_SCREEN_COLOR, type Palette } from '@svc/core/internal';
import { useIsomorphicLayoutEffect } from '@svc/react-core';
import { type MouseEvent, type ReactNode, type SyntheticEvent, useEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { StyleElement, useServerRender } from '../style/server-sheet';
import { type HistoryEntry, pushHistoryEntry } from './history-entry';
import { lockScroll } from './scroll-lock';

/**
 * How a flow stands above the page: a card in its middle, a sheet that comes from below, or all of the screen.
 */
export type PresentationStyle = 'modal' | 'sheet' | 'full-screen';

const D = '.svc-dialog:not(#svc#svc)';
const top = 'env(safe-area-inset-top,0px)';
const bottom = 'env(safe-area-inset-bottom,0px)';
const RULES = `
${D}{all:initial;display:block;position:fixed;inset:0;margin:auto;box-sizing:border-box;overflow:hidden;outline:none;animation:svc-fade .2s ease-out}
${D}::backdrop{all:revert;background:rgb(0 0 0/.5);animation:svc-fade .2s ease-out}
${D}[data-style=modal]{width:min(440px,100vw - 32px);height:min(860px,100vh - 32px);height:min(860px,100dvh - 32px - ${top} - ${bottom});border-radius:24px;box-shadow:0 24px 64px rgb(0 0 0/.3);animation-name:svc-rise}
${D}[data-style=sheet]{inset:auto 0 0;margin:0 auto;width:min(560px,100vw);height:92vh;height:min(92dvh,100dvh - 16px - ${top});border-radius:24px 24px 0 0;animation:svc-slide .32s cubic-bezier(.2,0,0,1)}
${D}[data-style=full-screen]{width:100%;height:100%;max-width:none;max-height:none;padding:0 env(safe-area-inset-right,0px) 0 env(safe-area-inset-left,0px)}
@keyframes svc-fade{from{opacity:0}}
@keyframes svc-rise{from{opacity:0;transform:translateY(16px)}}
@keyframes svc-slide{from{transform:translateY(100%)}}
@media (prefers-reduced-motion:reduce){${D},${D}::backdrop{animation:none!important}}
`;

interface DialogProps {
  presentation: PresentationStyle;
  palette: Palette;
  /** Accessible name. */
  label: string;
  /** Whether Escape, going back and a tap beside it close it. */
  dismissible: boolean;
  /** Whether going back closes it instead of leaving the page. */
  history: boolean;
  /** Changes with what is shown, which the focus then follows. */
  shown: string;
  onDismiss: () => void;
  /** Receives how to take the entry of the history away before the dialog goes. */
  leaveRef: { current: () => Promise<void> };
  children: ReactNode;
}

/** A modal dialog of the browser: the rest of the page is inert and the focus stays inside and returns after it. */
export function Dialog(props: DialogProps): ReactNode {
  return useServerRender() ? null : createPortal(<Open {...props} />, document.body);
}

function Open({
  presentation,
  palette,
  label,
  dismissible,
  history,
  shown,
  onDismiss,
  leaveRef,
  children,
}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const latest = useRef({ dismissible, onDismiss });
  useEffect(() => {
    latest.current = { dismissible, onDismiss };
  });

  useIsomorphicLayoutEffect(() => {
    const element = dialog.current;
    if (!element) return undefined;
    const { activeElement } = element.ownerDocument;
    const unlock = lockScroll();
    if (element.showModal) element.showModal();
    else element.setAttribute('open', '');
    return () => {
      unlock();
      element.close?.();
      // Browsers return the focus by themselves, unless the dialog had lost it.
      if (activeElement instanceof HTMLElement && activeElement.isConnected)
        activeElement.focus({ preventScroll: true });
    };
  }, []);

  useEffect(() => {
    if (!history) return undefined;
    let entry: HistoryEntry | undefined;
    const push = () => {
      entry = pushHistoryEntry(() => {
        if (latest.current.dismissible) latest.current.onDismiss();
        else push();
      });
    };
    const leave = async () => {
      const left = entry;
      entry = undefined;
      await left?.leave();
    };
    // One task later, so that React's double mount adds one entry.
    const timer = setTimeout(push, 0);
    leaveRef.current = leave;
    return () => {
      clearTimeout(timer);
      void leave();
    };
  }, [history, leaveRef]);

  const placed = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus follows what is shown
  useEffect(() => {
    const element = dialog.current;
    const focused = element?.ownerDocument.activeElement;
    const lost = !focused || focused === element || !element?.contains(focused);
    // The browser has put it on the first control there is, or what had it is gone.
    if (lost || !placed.current) element?.querySelector<HTMLElement>('.svc-screen')?.focus({ preventScroll: true });
    placed.current = true;
  }, [shown]);

  const onCancel = (event: SyntheticEvent) => {
    event.preventDefault();
    if (dismissible) onDismiss();
  };
  // Some browsers close a dialog whose `cancel` was prevented before.
  const onClose = () => {
    const element = dialog.current;
    if (element?.isConnected && !element.open && !dismissible) element.showModal?.();
    else if (element?.isConnected && !element.open) onDismiss();
  };
  const onClick = (event: MouseEvent<HTMLDialogElement>) => {
    if (event.target === event.currentTarget && dismissible) onDismiss();
  };
  return (
    <>
      <StyleElement rules={RULES} />
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the key for it */}
      <dialog
        ref={dialog}
        className="svc-dialog"
        data-style={presentation}
        aria-modal="true"
        aria-label={label}
        onCancel={onCancel}
        onClose={onClose}
        onClick={onClick}
        style={{ backgroundColor: DEFAULT_SCREEN_COLOR[palette], colorScheme: palette }}
      >
        {children}
      </dialog>
    </>
  );
}
