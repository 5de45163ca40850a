import { useMemo } from 'react';
import { type Act, useActs } from '../../app/acts';
import { align } from '../document/commands/align';
import { addScreen } from '../document/commands/screens';
import type { Command, Editor } from '../document/editor';
import { nameOf } from '../names';
import { screensIn } from '../screens';
import { type Mode, showsScreens } from './search';
import type { Clipboard } from './useClipboard';

type Page = {
  editor: Editor;
  canEdit: boolean;
  mode: Mode;
  setMode: (mode: Mode) => void;
  /** What keys do here; an act is done by the first of its keys. */
  keys: Readonly<Record<string, () => void>>;
  clipboard: Clipboard;
  say: (outcome: true | string) => void;
  reveal: (screen: string) => void;
  openHistory: () => void;
};

type Row = readonly [id: string, name: string, group: string, key: string, shown: string];

/** What keys do, by the key in the editor's table and as it is written. */
const rows: readonly Row[] = [
  ['palette', 'Search', 'General', 'mod+k', '⌘K'],
  ['find', 'Find and replace text', 'General', 'mod+f', '⌘F'],
  ['keys', 'Keyboard shortcuts', 'General', '?', '?'],
  ['undo', 'Undo', 'General', 'mod+z', '⌘Z'],
  ['redo', 'Redo', 'General', 'mod+shift+z', '⇧⌘Z'],
  ['preview', 'Preview', 'General', 'p', 'P'],
  ['publish', 'Publish', 'General', 'mod+enter', '⌘↵'],
  ['design', 'Design', 'View', '1', '1'],
  ['graph', 'Graph', 'View', '2', '2'],
  ['translate', 'Translate', 'View', '3', '3'],
  ['data', 'Data', 'View', '4', '4'],
  ['zoom-own', 'Zoom to 100 %', 'View', 'mod+0', '⌘0'],
  ['zoom-all', 'Zoom to all screens', 'View', 'mod+1', '⌘1'],
  ['zoom-selection', 'Zoom to the selection', 'View', 'mod+2', '⌘2'],
  ['fold', 'Show or hide screens and layers', 'View', 'mod+\\', '⌘\\'],
  ['motion', 'Play or stop the animations', 'View', 'm', 'M'],
  ['into', 'Select what is inside, or write its text', 'Selection', 'enter', '↵'],
  ['up', 'Select what is around', 'Selection', 'escape', 'Esc'],
  ['rename', 'Rename', 'Selection', 'r', 'R'],
  ['duplicate', 'Duplicate', 'Selection', 'mod+d', '⌘D'],
  ['remove', 'Remove', 'Selection', 'backspace', '⌫'],
  ['wrap', 'Wrap in a stack', 'Selection', 'mod+g', '⌘G'],
  ['unwrap', 'Unwrap', 'Selection', 'mod+shift+g', '⇧⌘G'],
  ['distribute', 'Distribute', 'Selection', 'shift+d', '⇧D'],
  ['hide', 'Hide in the editor, or show', 'Selection', 'mod+shift+h', '⇧⌘H'],
  ['lock', 'Lock or unlock', 'Selection', 'mod+shift+l', '⇧⌘L'],
  ['save-component', 'Save as component', 'Selection', 'c', 'C'],
  ['move-up', 'Move up', 'Selection', 'arrowup', '↑'],
  ['move-down', 'Move down', 'Selection', 'arrowdown', '↓'],
];

/** Lists what can be done in the editor, for its palette and its list of keys: what has keys here, what has none, and
 * the screens to go to. */
export function useEditorActs({ editor, canEdit, mode, setMode, keys, clipboard, say, reveal, openHistory }: Page) {
  const acts = useMemo<Act[]>(() => {
    const byKeys = rows.flatMap(([id, name, group, key, shown]): Act[] => {
      const run = keys[key];
      return run ? [{ id, name, group, keys: shown, run }] : [];
    });
    const run = <Input>(id: string, name: string, command: Command<Input>, input: Input): Act => ({
      ...{ id, name, group: 'Selection' },
      run: () => say(editor.run(command, input)),
    });
    const paper: Act[] = [
      { id: 'copy', name: 'Copy', group: 'Selection', keys: '⌘C', run: clipboard.copy },
      ...(canEdit
        ? [
            { id: 'cut', name: 'Cut', group: 'Selection', keys: '⌘X', run: clipboard.cut },
            { id: 'paste', name: 'Paste', group: 'Selection', keys: '⌘V', run: clipboard.paste },
            { id: 'paste-style', name: 'Paste style', group: 'Selection', keys: '⌥⌘V', run: clipboard.pasteStyle },
          ]
        : []),
    ];
    // The canvas answers these, while it has the focus.
    const onCanvas: Act[] = [
      { ...{ id: 'next', name: 'Select the next layer, on the canvas' }, keys: 'Tab' },
      { ...{ id: 'before', name: 'Select the layer before, on the canvas' }, keys: '⇧Tab' },
      { ...{ id: 'pan', name: 'Pan while it is held, on the canvas' }, keys: 'Space', group: 'View' },
      { ...{ id: 'measure', name: 'Measure distances while it is held, on the canvas' }, keys: '⌥', group: 'View' },
    ].map((act) => ({ group: 'Selection', keysOnly: true, run: () => {}, ...act }));
    const more: Act[] = [{ id: 'history', name: 'History', group: 'General', run: openHistory }];
    if (canEdit && mode === 'design')
      more.push(
        {
          ...{ id: 'add-screen', name: 'Add a screen', group: 'General' },
          run: () => {
            say(editor.run(addScreen, { after: editor.selection.screen ?? undefined }));
            if (editor.selection.screen !== null) reveal(editor.selection.screen);
          },
        },
        run('align-start', 'Align to the start', align, { axis: 'horizontal', to: 'start' }),
        run('align-center', 'Align to the center', align, { axis: 'horizontal', to: 'center' }),
        run('align-end', 'Align to the end', align, { axis: 'horizontal', to: 'end' }),
        run('align-stretch', 'Stretch to the width', align, { axis: 'horizontal', to: 'stretch' }),
      );
    return [...byKeys, ...(showsScreens(mode) ? paper : []), ...(mode === 'design' ? onCanvas : []), ...more];
  }, [editor, canEdit, mode, keys, clipboard, say, reveal, openHistory]);
  useActs(acts);
  return useMemo(
    () =>
      /** Screens to go to, read when the palette opens: their names change while a person types. */
      (): Act[] =>
        screensIn(editor.document.flow).map((screen) => ({
          id: String(screen.id),
          name: nameOf(screen, 'screen'),
          group: 'Screen',
          run: () => {
            editor.select({ screen: String(screen.id) });
            if (!showsScreens(mode)) setMode('design');
            reveal(String(screen.id));
          },
        })),
    [editor, mode, setMode, reveal],
  );
}
