import { useEffect, useMemo, useRef } from 'react';
import { isTyping } from '../../app/keys';
import { cut } from '../document/commands/cut';
import { clipboardType, copyText, paste } from '../document/commands/paste';
import { pasteStyle } from '../document/commands/pasteStyle';
import type { Editor } from '../document/editor';
import type { NodeId } from '../document/operation';
import type { Library } from '../useEditor';

type Page = {
  editor: Editor;
  canEdit: boolean;
  /** Whether layers are copied and pasted here. */
  active: boolean;
  /** Shows why something was not done. */
  say: (outcome: true | string) => void;
  reveal: (screen: NodeId) => void;
  /** Shows files that are pasted. */
  add: Library['add'];
};

/** What is done with the clipboard, for a menu; keys do it by the browser's own events. */
export type Clipboard = { copy: () => void; cut: () => void; paste: () => void; pasteStyle: () => void };

/** Copies layers and screens to the clipboard of the system and pastes them from there. As text they are JSON, which goes
 * through any other program. */
export function useClipboard({ editor, canEdit, active, say, reveal, add }: Page): Clipboard {
  // Where a browser lets nobody read the clipboard, as on a page without HTTPS, a menu pastes what was copied here.
  const last = useRef<string>(undefined);
  const acts = useMemo(() => {
    /** The text for the clipboard, unless there is none to copy; what is cut is removed. */
    const take = (how: 'copy' | 'cut'): string | undefined => {
      const text = copyText(editor);
      if (how === 'cut') {
        const done = editor.run(cut, undefined);
        say(done);
        if (done !== true) return undefined;
      } else say(text === undefined ? 'Select layers or a screen to copy' : true);
      last.current = text;
      return text;
    };
    const put = (text: string) => {
      const { screen } = editor.selection;
      say(editor.run(paste, { text }));
      if (editor.selection.screen !== null && editor.selection.screen !== screen) reveal(editor.selection.screen);
    };
    const write = (text: string | undefined) => {
      if (text !== undefined) navigator.clipboard?.writeText(text).catch(() => {});
    };
    const read = async (then: (text: string) => void) => {
      const text = await navigator.clipboard?.readText().catch(() => undefined);
      const known = text ?? last.current;
      if (known === undefined) say('This browser pastes by ⌘V or Ctrl+V only');
      else then(known);
    };
    return {
      take,
      put,
      copy: () => write(take('copy')),
      cut: () => write(take('cut')),
      paste: () => void read(put),
      pasteStyle: () => void read((text) => say(editor.run(pasteStyle, { text }))),
    };
  }, [editor, say, reveal]);
  useEffect(() => {
    if (!active) return;
    const take = (event: ClipboardEvent) => {
      const how = event.type as 'copy' | 'cut';
      if (event.defaultPrevented || !event.clipboardData || isTyping(event.target) || hasWords()) return;
      if (how === 'cut' && !canEdit) return;
      const row = document.activeElement?.closest<HTMLElement>('[data-screen]')?.dataset.screen;
      if (row !== undefined && row !== editor.selection.screen) editor.select({ screen: row });
      const text = acts.take(how);
      if (text === undefined) return;
      event.preventDefault();
      event.clipboardData.setData(clipboardType, text);
      event.clipboardData.setData('text/plain', text);
    };
    const put = (event: ClipboardEvent) => {
      if (event.defaultPrevented || !event.clipboardData || !canEdit || isTyping(event.target)) return;
      event.preventDefault();
      const files = [...event.clipboardData.files];
      const { nodes, screen } = editor.selection;
      const behind = nodes.length === 0 && screen !== null ? screen : undefined;
      if (files.length > 0) return add(files, nodes.length === 1 ? { over: nodes[0] } : { behind });
      acts.put(event.clipboardData.getData(clipboardType) || event.clipboardData.getData('text/plain'));
    };
    const press = (event: KeyboardEvent) => {
      if (!(event.metaKey || event.ctrlKey) || !event.altKey || event.code !== 'KeyV') return;
      if (!canEdit || isTyping(event.target)) return;
      event.preventDefault();
      acts.pasteStyle();
    };
    document.addEventListener('copy', take);
    document.addEventListener('cut', take);
    document.addEventListener('paste', put);
    document.addEventListener('keydown', press);
    return () => {
      document.removeEventListener('copy', take);
      document.removeEventListener('cut', take);
      document.removeEventListener('paste', put);
      document.removeEventListener('keydown', press);
    };
  }, [editor, canEdit, active, acts, add]);
  return acts;
}

/** Whether words of the page are selected, where the focus is: copying is the browser's then. */
function hasWords(): boolean {
  const words = window.getSelection();
  const focus = document.activeElement;
  return !!words && !words.isCollapsed && (!focus || focus.contains(words.anchorNode));
}
