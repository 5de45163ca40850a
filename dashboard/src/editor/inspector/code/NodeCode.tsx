import { autocompletion, type Completion, type CompletionContext, completionKeymap } from '@codemirror/autocomplete';
import { foldService } from '@codemirror/language';
import { Decoration, EditorView, keymap, MatchDecorator, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { useRef, useState } from 'react';
import { CodeEditor, colors, type EditorProps } from '../../../ui/CodeEditor';
import { offersAt, type Targets } from './offers';
import { spotIn } from './spot';

type Props = EditorProps & { kind: string; targets: () => Targets };

/** The JSON of a node, with completion from the schema of its kind. */
export function NodeCode({ kind, targets, ...props }: Props) {
  const view = useRef<EditorView>(undefined);
  const [extensions] = useState(() => [
    tokens,
    tokenColors,
    folds,
    autocompletion({ override: [(context) => complete(context, kind, targets)], icons: false }),
    keymap.of(completionKeymap),
  ]);
  return <CodeEditor {...props} view={view} extensions={extensions} />;
}

function complete({ state, pos, explicit }: CompletionContext, kind: string, targets: () => Targets) {
  const spot = spotIn(state.sliceDoc(0, pos));
  if (!spot || (spot.from === pos && !explicit)) return null;
  const isQuoted = state.sliceDoc(spot.from, spot.from + 1) === '"';
  const options = offersAt(kind, spot, targets()).map(
    ({ write, ...shown }): Completion => ({
      ...shown,
      apply(view, _, __, to) {
        // Quotes that are there already are part of what is written.
        const end = to + (isQuoted && view.state.sliceDoc(to, to + 1) === '"' ? 1 : 0);
        view.dispatch({
          changes: { from: spot.from, to: end, insert: write },
          selection: { anchor: spot.from + write.length },
          userEvent: 'input.complete',
        });
      },
    }),
  );
  return { from: spot.from + (isQuoted ? 1 : 0), options, validFor: /^\w*$/ };
}

const tokens = (() => {
  const marks = (['name', 'string', 'literal'] as const).map((token) => Decoration.mark({ class: `cm-${token}` }));
  const found = new MatchDecorator({
    regexp: /("(?:[^"\\]|\\.)*"(?=\s*:))|("(?:[^"\\]|\\.)*"?)|[\w.+-]+/g,
    decoration: ([, name, string]) => marks[name ? 0 : string ? 1 : 2]!,
  });
  return ViewPlugin.define(
    (view) => ({
      marks: found.createDeco(view),
      update(update: ViewUpdate) {
        this.marks = found.updateDeco(update, this.marks);
      },
    }),
    { decorations: ({ marks }) => marks },
  );
})();

const tokenColors = EditorView.theme({
  '.cm-name': colors.name,
  '.cm-string': colors.string,
  '.cm-literal': colors.literal,
});

/** What is further in than a line that opens something folds with it. */
const folds = foldService.of(({ doc }, start, end) => {
  const line = doc.lineAt(start);
  if (!/[{[]\s*$/.test(line.text)) return null;
  const indent = /^\s*/.exec(line.text)![0].length;
  for (let at = line.number + 1; at <= doc.lines; at++) {
    const { text, from } = doc.line(at);
    const inner = /^\s*/.exec(text)![0].length;
    if (text.trim() !== '' && inner <= indent) return { from: end, to: from + inner };
  }
  return null;
});
