import { addOption } from '../document/commands/addOption';
import { bindingOf, layersIn, questionAround } from '../document/commands/faces';
import { eachNode, type Found, nodeOf } from '../document/document';
import type { Editor } from '../document/editor';
import type { NodeId } from '../document/operation';

/** Returns the words of the option that follows the one whose words these are, so that answers are written one after the
 * other; behind the last one an option is added. Undefined for words that are no option's. */
export function wordsOfNext(editor: Editor, text: NodeId): NodeId | undefined {
  const { document } = editor;
  const around = questionAround(document, text);
  if (!around) return undefined;
  const { question, face } = around;
  const faces = layersIn(question).filter(({ id }) => bindingOf(document, id));
  const next = faces[faces.findIndex(({ id }) => id === face.id) + 1];
  if (next) {
    const words = wordsIn(next);
    if (words !== undefined) editor.select({ nodes: [words] });
    return words;
  }
  editor.endGesture();
  if (editor.run(addOption, { node: question.id, after: face.id }) !== true) return undefined;
  const made = nodeOf(editor.document, editor.selection.nodes[0] ?? '');
  return made && wordsIn(made);
}

function wordsIn(face: Found): NodeId | undefined {
  const texts: NodeId[] = [];
  eachNode(face, ({ id, kind }) => {
    if (kind === 'text') texts.push(id);
  });
  return texts[0];
}
