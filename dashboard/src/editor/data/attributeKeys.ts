import type { Editor } from '../document/editor';

/** The attributes that the flow lists. */
export function attributeKeys({ document: { flow } }: Editor): string[] {
  return Array.isArray(flow.sdkAttributeKeys) ? flow.sdkAttributeKeys.map(String) : [];
}

/** Lists other attributes. Returns true, or why not. */
export const writeAttributes = (editor: Editor, name: string, value: readonly string[]): true | string =>
  editor.runStep({ name, operations: [{ op: 'set', node: 'flow', path: ['sdkAttributeKeys'], value }] });
