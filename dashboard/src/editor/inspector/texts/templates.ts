/** A value that a text shows, `{{ goal | default: "you" }}`, with where it stands in the text. */
export type Template = {
  from: number;
  to: number;
  /** The key of a field with `.id` where the option's ID is meant, or `custom.` and the key of a value of the app. */
  key: string;
  /** What shows where there is no value. */
  fallback: string;
};

/** Finds what a text shows, as the SDKs do (runtime.md §4): braces that are never closed are words. */
export function templatesIn(text: string): Template[] {
  return [...text.matchAll(/\{\{([\s\S]*?)\}\}/g)].map(({ 0: whole, 1: token = '', index }) => {
    const [, key = '', filter] = /^([^|]*)(?:\|([\s\S]*))?$/.exec(token)!;
    const word = /^\s*default\s*:\s*([\s\S]*?)\s*$/i.exec(filter ?? '')?.[1] ?? '';
    const quoted = /^(["'])([\s\S]*)\1$/.exec(word);
    return { from: index, to: index + whole.length, key: key.trim(), fallback: quoted ? quoted[2]! : word };
  });
}

/** Writes a value that a text shows. */
export function templateFor(key: string, fallback: string): string {
  const word = fallback.replaceAll(/\}(?=\})/g, '} ');
  return word === '' ? `{{ ${key} }}` : `{{ ${key} | default: "${word}" }}`;
}

/** A text with other words in the place of some. */
export const spliced = (text: string, { from, to }: Pick<Template, 'from' | 'to'>, words: string): string =>
  text.slice(0, from) + words + text.slice(to);
