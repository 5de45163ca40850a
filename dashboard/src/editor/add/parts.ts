import { newLayer } from '../document/commands/defaults';
import type { Insertion } from '../document/commands/insert';
import { eachNode, type Found } from '../document/document';
import type { JsonObject } from '../document/operation';

/** Makes the part of a kind that a layer still misses; undefined when it has all that a valid one can have. */
export function missing(whole: Found, kind: string): Insertion['make'] | undefined {
  const there: JsonObject[] = [];
  eachNode(whole, (node) => {
    if (node.kind === kind) there.push(node.object);
  });
  const { member, values } = choices(whole, kind);
  const free = member === undefined ? there.length === 0 : undefined;
  const value = values.find((one) => !there.some((part) => part[member!] === one));
  if (!free && value === undefined) return undefined;
  return ({ newId, key }) => {
    const part = newLayer(kind, newId, key);
    if (value === undefined) return part;
    const label = labels[value];
    const [first] = Array.isArray(part.children) ? (part.children as JsonObject[]) : [];
    return {
      ...part,
      [member!]: value,
      ...(label && first && { children: [{ ...first, text: { default: label } }] }),
      ...(label && part.placeholder !== undefined && { placeholder: { default: label } }),
    };
  };
}

const labels: Record<string, string> = {
  ...{ decrement: '−', increment: '+' },
  ...{ email: 'Email', password: 'Password', confirm: 'Repeat the password' },
};

/** What tells the parts of a kind apart, and its values, each of which stands once. */
function choices({ object }: Found, kind: string): { member?: string; values: string[] } {
  const signsUp = object.mode === 'sign_up';
  if (kind === 'number_stepper_button') return { member: 'role', values: ['decrement', 'increment'] };
  if (kind === 'oauth_provider') return { member: 'provider', values: ['apple', 'google', 'github'] };
  if (kind === 'email_password_field')
    return { member: 'slot', values: ['email', 'password', ...(signsUp ? ['confirm'] : [])] };
  return { values: [] };
}
