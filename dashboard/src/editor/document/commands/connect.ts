import { isObject } from '../canonical';
import { type Document, nodeOf } from '../document';
import type { Command } from '../editor';
import { type Exit, end, exitName, exitOf, isStep, writtenEnd } from '../exits';
import type { Json, JsonObject, NodeId, Operation } from '../operation';
import { label } from '../words';

/** Leads a way out to a step, or to the end of the flow. */
export const connect: Command<{ exit: string; to: NodeId }> = {
  id: 'connect',
  when({ document }, { exit: id, to }) {
    const exit = exitOf(document, id);
    if (!exit) return noExit;
    if (exit.to === to) return 'It leads there already';
    const made = leadTo(document, exit, to);
    return typeof made === 'string' ? made : true;
  },
  build({ document }, { exit: id, to }) {
    const exit = exitOf(document, id)!;
    const name = `Lead ${exitInWords(document, exit)} to ${to === end ? 'the end' : label(document, to)}`;
    return { step: { name, operations: leadTo(document, exit, to) as Operation[] } };
  },
};

/** Takes away where a way out leads: it goes the way of its step from then on; a screen's next becomes the end. */
export const disconnect: Command<{ exit: string }> = {
  id: 'disconnect',
  when({ document }, { exit: id }) {
    const exit = exitOf(document, id);
    if (!exit) return noExit;
    if (exit.kind === 'next' && exit.to === end) return 'A screen that leads nowhere is where the flow ends';
    return exit.to !== undefined || 'It leads nowhere already';
  },
  build({ document }, { exit: id }) {
    const exit = exitOf(document, id)!;
    const name = `Disconnect ${exitInWords(document, exit)}`;
    return { step: { name, operations: leadNowhere(document, exit) } };
  },
};

export const noExit = 'This way out was removed';

/** Names an exit with its step: “Skip” of “Goal”. */
export function exitInWords(document: Document, exit: Exit): string {
  return `“${exitName(document, exit)}” of ${label(document, exit.step)}`;
}

/** Lists what makes a way out lead to a step or the end; or says why it can't. `kind` is that of a step to be made. */
export function leadTo(document: Document, exit: Exit, to: NodeId, kind?: string): Operation[] | string {
  return to === end ? leadToEnd(exit) : leadToStep(document, exit, to, kind ?? nodeOf(document, to)?.kind);
}

function leadToStep(document: Document, exit: Exit, to: NodeId, kind: string | undefined): Operation[] | string {
  if (!isStep(kind)) return 'The step was removed';
  if (to === exit.step) return "A step can't lead to itself";
  switch (exit.kind) {
    case 'button':
      return set(exit, { kind: 'go_to_step', screenId: to });
    case 'back':
      return kind === 'screen' ? set(exit, to) : 'A way back leads to a screen';
    case 'complete':
      return set(exit, { mode: 'screen', screenId: to });
    case 'option': {
      const { branching, others } = conditionsOf(document, exit);
      return set(exit, { ...branching, enabled: true, conditions: [...others, { choiceId: exit.key!, goTo: to }] });
    }
    default:
      return set(exit, to);
  }
}

function leadToEnd(exit: Exit): Operation[] | string {
  switch (exit.kind) {
    case 'next':
      return set(exit, null);
    case 'button':
      return set(exit, { kind: 'end_flow' });
    case 'permission':
      return set(exit, 'end');
    case 'back':
      return 'A way back leads to a screen';
    case 'complete':
    case 'option':
      return 'Only screens, buttons, decisions and paywalls end a flow';
    default:
      return set(exit, writtenEnd);
  }
}

const set = ({ node, path }: Exit, value: Json): Operation[] => [{ op: 'set', node, path, value }];

/** Lists what takes away where a way out leads. */
export function leadNowhere(document: Document, exit: Exit): Operation[] {
  switch (exit.kind) {
    case 'button':
      return set(exit, { kind: 'continue' });
    case 'permission':
      return set(exit, 'continue');
    case 'complete':
      return set(exit, { mode: 'next' });
    case 'back':
    case 'outcome':
      return [{ op: 'unset', node: exit.node, path: exit.path }];
    case 'option': {
      const { branching, others } = conditionsOf(document, exit);
      return set(exit, { ...branching, enabled: others.length > 0, conditions: others });
    }
    default:
      return set(exit, null);
  }
}

/** The branching of an option's choice, and the conditions of its other options that are in force. */
function conditionsOf(document: Document, { node, key }: Exit): { branching: JsonObject; others: Json[] } {
  const branching = nodeOf(document, node)?.object.branching;
  if (!isObject(branching)) return { branching: {}, others: [] };
  const all = branching.enabled === true && Array.isArray(branching.conditions) ? branching.conditions : [];
  return { branching, others: all.filter((one) => isObject(one) && one.choiceId !== key) };
}
