import { eachNode, type Found, nodeOf } from './document/document';
import type { Editor } from './document/editor';
import type { NodeId } from './document/operation';
import { nameOf } from './names';

export const questions = [
  'single_choice',
  'multiple_choice',
  'text_input',
  'scale_input',
  'wheel_picker',
  'date_time_input',
];
questions.push('number_stepper', 'phone_input', 'address_input');
export const signIns = ['oauth_login', 'email_password_auth'];

/** Says why a screen can't have one more of a kind: it asks one question, or signs in, once. Branches of a condition
 * never show together. */
export function rivalOf({ document }: Editor, kind: string, screen: NodeId, parent: NodeId): string | undefined {
  if (![...questions, ...signIns].includes(kind)) return undefined;
  const around = new Map<NodeId, Found>();
  for (let at = nodeOf(document, parent); at; at = at.parent ?? undefined) around.set(at.id, at);
  const apart = (layer: Found) => {
    let at: Found | null = layer;
    while (at && !around.has(at.id)) at = at.parent;
    return at?.kind === 'conditional';
  };
  const rivals = layersOf(nodeOf(document, screen)!).filter((one) => !apart(one));
  const signIn = rivals.find((one) => signIns.includes(one.kind));
  if (signIn) return `People sign in on this screen, which takes it whole`;
  const question = rivals.find((one) => questions.includes(one.kind));
  if (!question) return undefined;
  const name = nameOf(question.object, question.kind);
  return signIns.includes(kind)
    ? `This screen asks ${name}; sign-in takes a screen whole`
    : `This screen asks ${name} already, and a screen asks one question`;
}

/** All layers of a screen, in the order of the document. */
export function layersOf(screen: Found): Found[] {
  const out: Found[] = [];
  eachNode(screen, (node) => node !== screen && out.push(node));
  return out;
}
