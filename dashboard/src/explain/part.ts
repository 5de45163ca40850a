import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import type { Asked } from '../graphql/send';

export type Values = Readonly<Record<string, unknown>>;

/** A field as an operation asks for it. */
export type Asking = { name: string; arguments: Values };

/** The fields from the root to a response path, such as `app.productAnalytics.map`, by the names that the answer has;
 * undefined where the operation has no such path. */
export function fieldsAt(path: string, { text, variables }: Asked): Asking[] | undefined {
  const document = parse(text);
  let selections = operationOf(document).selectionSet;
  const fields: Asking[] = [];
  for (const name of path.split('.')) {
    const found = namedIn(selections, document).find((field) => (field.alias ?? field.name).value === name);
    if (!found) return undefined;
    const values = found.arguments?.map(({ name, value }) => [
      name.value,
      valueFromASTUntyped(value, variables as Record<string, unknown>),
    ]);
    fields.push({ name: found.name.value, arguments: Object.fromEntries(values ?? []) });
    selections = found.selectionSet ?? none;
  }
  return fields;
}

/** All response paths of an operation, outer ones first. */
export function pathsOf(text: string): string[] {
  const document = parse(text);
  const below = (selections: SelectionSetNode, before: string): string[] =>
    namedIn(selections, document).flatMap(({ alias, name, selectionSet }) => {
      const path = `${before}${(alias ?? name).value}`;
      return [path, ...below(selectionSet ?? none, `${path}.`)];
    });
  return below(operationOf(document).selectionSet, '');
}

/** The operation that asks for parts of another and for nothing else, with the variables that they take. */
export function partOf({ text, variables }: Asked, paths: readonly string[]): Asked {
  const document = parse(text);
  const whole = operationOf(document);
  const part = {
    ...whole,
    selectionSet: kept(
      whole.selectionSet,
      paths.map((path) => path.split('.')),
    ),
  };
  const fragments = spreadBy(part, document);
  const used = new Set<string>();
  for (const node of [part.selectionSet, ...fragments])
    visit(node, { Variable: ({ name }) => void used.add(name.value) });
  const variableDefinitions = whole.variableDefinitions?.filter(({ variable }) => used.has(variable.name.value));
  return {
    text: print({ kind: Kind.DOCUMENT, definitions: [{ ...part, variableDefinitions }, ...fragments] }),
    variables: Object.fromEntries(Object.entries(variables).filter(([name]) => used.has(name))),
  };
}

/** The fields on the way to any of the paths; all of what is at the end of one. */
function kept(selections: SelectionSetNode, paths: readonly (readonly string[])[]): SelectionSetNode {
  const fields: SelectionNode[] = selections.selections.flatMap((selection) => {
    if (selection.kind !== Kind.FIELD) return [];
    const name = (selection.alias ?? selection.name).value;
    const here = paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
    if (here.length === 0) return [];
    if (!selection.selectionSet || here.some((rest) => rest.length === 0)) return [selection];
    return [{ ...selection, selectionSet: kept(selection.selectionSet, here) }];
  });
  return { ...selections, selections: fields };
}

/** The fragments that an operation spreads, directly or by another one. */
function spreadBy(operation: OperationDefinitionNode, document: DocumentNode): FragmentDefinitionNode[] {
  const found: FragmentDefinitionNode[] = [];
  const look = (node: OperationDefinitionNode | FragmentDefinitionNode) =>
    void visit(node, {
      FragmentSpread: ({ name }) => {
        const fragment = fragmentCalled(name.value, document);
        if (!fragment || found.includes(fragment)) return;
        found.push(fragment);
        look(fragment);
      },
    });
  look(operation);
  return found;
}

const none: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: [] };

const namedIn = (selections: SelectionSetNode, document: DocumentNode) =>
  selections.selections.flatMap(function fields(selection): Extract<SelectionNode, { kind: Kind.FIELD }>[] {
    if (selection.kind === Kind.FIELD) return [selection];
    const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragmentCalled(selection.name.value, document);
    return inner?.selectionSet.selections.flatMap(fields) ?? [];
  });

const operationOf = ({ definitions }: DocumentNode): OperationDefinitionNode =>
  definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION)!;

const fragmentCalled = (name: string, { definitions }: DocumentNode): FragmentDefinitionNode | undefined =>
  definitions.find(
    (definition): definition is FragmentDefinitionNode =>
      definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name,
  );
