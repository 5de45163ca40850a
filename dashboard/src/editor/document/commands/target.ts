import { type Found, nodeOf, slotOf } from '../document';
import type { Editor } from '../editor';
import { bindingOf, isElse } from './faces';
import type { Target } from './move';

/** Finds where a new layer of a kind goes: into what is selected, else behind it or what it stands in, else at the end of
 * the screen. Undefined when no screen is selected, or none of these takes the kind. */
export function targetOf(editor: Editor, kind: string): Target | undefined {
  const { document, selection } = editor;
  const last = selection.nodes.at(-1);
  let node = last === undefined ? undefined : nodeOf(document, last);
  if (node && isBox(node, kind) && takes(node, 'children', kind)) return { parent: node.id, slot: 'children' };
  for (; node?.parent; node = node.parent) {
    const face = bindingOf(document, node.id) || isElse(document, node.id);
    if (!face && takes(node.parent, node.slot, kind) && slotOf(node.parent.kind, node.slot)!.list)
      return { parent: node.parent.id, slot: node.slot, after: node.id };
  }
  const screen = selection.screen === null ? undefined : nodeOf(document, selection.screen);
  const body = ((screen?.object.regions ?? {}) as { body?: { id?: unknown } }).body?.id;
  const region = typeof body === 'string' ? nodeOf(document, body) : undefined;
  return region && takes(region, 'children', kind) ? { parent: region.id, slot: 'children' } : undefined;
}

/** Tells whether a layer that is selected is a box for what is added; others have it behind them. */
function isBox({ kind: box, object }: Found, kind: string): boolean {
  if (box === 'oauth_provider') return object.variant === 'custom';
  return boxes.includes(box) || box === partOf[kind];
}

const boxes = ['stack', 'button', 'back_button', 'hyperlink', 'number_stepper_button', 'email_password_submit'];

/** Kinds that only make sense inside another layer. */
export const partOf: Record<string, string> = {
  number_stepper_button: 'number_stepper',
  number_stepper_value: 'number_stepper',
  oauth_provider: 'oauth_login',
  email_password_field: 'email_password_auth',
  email_password_submit: 'email_password_auth',
};

/** Tells whether a valid screen may have a layer of a kind in a slot of a node. */
export function takes(node: Found, slot: string, kind: string): boolean {
  const place = slotOf(node.kind, slot);
  if (place?.holds !== 'layer' || (place.kinds && !place.kinds.includes(kind))) return false;
  const whole = partOf[kind];
  if (whole === undefined) return !['email_password_auth', 'single_choice', 'multiple_choice'].includes(node.kind);
  for (let at: Found | null = node; at; at = at.parent) if (at.kind === whole) return true;
  return false;
}
