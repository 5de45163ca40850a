import { useMemo } from 'react';
import type { Asked } from '../components/useComponents';
import { duplicate } from '../document/commands/duplicate';
import { layersIn } from '../document/commands/faces';
import { remove } from '../document/commands/remove';
import { moveDown, moveUp } from '../document/commands/reorder';
import { duplicateScreen } from '../document/commands/screens';
import { unwrap, wrap } from '../document/commands/wrap';
import { maySave } from '../document/components/detach';
import { nodeOf } from '../document/document';
import type { Command, Editor } from '../document/editor';
import type { NodeId } from '../document/operation';
import { type LayerView, lockedIn, toggleView, type View } from '../layerView';
import type { Playhead } from '../playhead';
import type { Editing } from '../useEditor';
import { distributeSelected } from './distributing';
import { useEditorKeys } from './keys';
import type { OverWhat } from './Over';
import type { Mode } from './search';

type Page = {
  editor: Editor;
  canEdit: boolean;
  mode: Mode;
  setMode: (mode: Mode) => void;
  zoomTo: (to: 'all' | 'selection' | number) => void;
  write: (id: NodeId) => void;
  name: (id: NodeId) => void;
  reveal: (screen: NodeId) => void;
  /** Shows why a key did nothing. */
  say: (outcome: true | string) => void;
  goBack: (verb: 'undo' | 'redo') => void;
  /** Opens the preview, or closes it. */
  preview: () => void;
  /** Goes to where the draft is published. */
  publish: () => void;
  playhead: Playhead;
  layerView: LayerView;
  spread: Editing['spread'];
  /** Folds the column of screens and layers, or shows it. */
  fold: () => void;
  /** Opens what helps to find things and keys. */
  openOver: (what: OverWhat) => void;
  /** Opens a dialog about components. */
  ask: (what: Asked) => void;
};

/** Commands on what is selected that have keys. */
const commands = [remove, duplicate, wrap, unwrap, moveUp, moveDown];

/** Those that a locked layer is kept from. */
const takesAway = new Set<Command<undefined>>([remove, moveUp, moveDown]);

/** What keys do on the page, which is returned too. */
export function useShortcuts({
  editor,
  canEdit,
  mode,
  setMode,
  zoomTo,
  write,
  name,
  reveal,
  say,
  goBack,
  preview,
  publish,
  playhead,
  layerView,
  spread,
  fold,
  openOver,
  ask,
}: Page): Readonly<Record<string, () => void>> {
  const keys = useMemo(() => {
    const always: Record<string, () => void> = {
      1: () => setMode('design'),
      2: () => setMode('graph'),
      3: () => setMode('translate'),
      4: () => setMode('data'),
      p: preview,
      'mod+k': () => openOver('palette'),
      '/': () => openOver('palette'),
      'mod+f': () => openOver('find'),
      '?': () => openOver('keys'),
      'shift+?': () => openOver('keys'),
      'mod+\\': fold,
      ...(canEdit && {
        'mod+z': () => goBack('undo'),
        'mod+shift+z': () => goBack('redo'),
        'mod+enter': publish,
      }),
    };
    // The graph has keys of its own, tables have none.
    if (mode !== 'design') return always;
    const see = (view: View) => () => say(toggleView(editor, layerView, view));
    const looking: Record<string, () => void> = {
      ...always,
      'mod+shift+h': see('hidden'),
      'mod+shift+l': see('locked'),
      'mod+0': () => zoomTo(1),
      'mod+1': () => zoomTo('all'),
      'mod+2': () => zoomTo('selection'),
      m: () => say(playhead.toggle(editor.object(editor.selection.screen ?? ''))),
      escape: () => (playhead.state.moment ? playhead.set({ moment: undefined }) : up(editor)),
      'shift+enter': () => up(editor),
      enter: () => into(editor, canEdit ? write : undefined),
    };
    const editing: Record<string, () => void> = {
      c: () => {
        const may = maySave(editor);
        say(may);
        if (may === true) ask({ is: 'save' });
      },
    };
    for (const command of commands)
      editing[command.keys!] = () =>
        say((takesAway.has(command) && lockedIn(editor, layerView)) || editor.run(command, undefined));
    editing['shift+d'] = () => say(distributeSelected({ editor, layerView, spread }));
    editing.delete = editing[remove.keys!]!;
    editing.r = editing.f2 = () => {
      const id = editor.selection.nodes[0] ?? editor.selection.screen;
      if (id) name(id);
    };
    const layers = editing[duplicate.keys!]!;
    editing[duplicate.keys!] = () => {
      const { nodes, screen } = editor.selection;
      if (nodes.length > 0 || screen === null) return layers();
      say(editor.run(duplicateScreen, { screen }));
      reveal(editor.selection.screen!);
    };
    return canEdit ? { ...looking, ...editing } : looking;
  }, [
    editor,
    canEdit,
    mode,
    setMode,
    zoomTo,
    write,
    name,
    reveal,
    say,
    goBack,
    preview,
    publish,
    playhead,
    layerView,
    spread,
    fold,
    openOver,
    ask,
  ]);
  useEditorKeys(keys);
  return keys;
}

/** Selects what stands around the selected layer: in the end the screen, then nothing. */
function up(editor: Editor) {
  const { nodes, screen } = editor.selection;
  const parent = nodes[0] === undefined ? undefined : editor.document.parents.get(nodes[0])?.parent;
  if (parent !== undefined && parent !== screen) editor.select({ nodes: [parent] });
  else if (nodes.length > 0) editor.select({ screen });
  else editor.select({});
}

/** Selects the first layer inside; writes in a text. */
function into(editor: Editor, write: ((id: NodeId) => void) | undefined) {
  const id = editor.selection.nodes[0] ?? editor.selection.screen;
  const node = id === null || id === undefined ? undefined : nodeOf(editor.document, id);
  if (!node) return;
  const [first] = layersIn(node);
  if (node.kind === 'text') write?.(node.id);
  else if (first) editor.select({ nodes: [first.id] });
}
