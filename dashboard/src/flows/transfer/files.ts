import { formatBytes } from '../../media/files';

/** What the server takes of an exported flow, in bytes. */
export const mostBytes = 52_428_800;

/** A file that becomes a flow: an exported one, or a manifest as text. */
export type Source = { kind: 'bundle'; file: File } | { kind: 'manifest'; text: string };

/** What a file is by its name, or why it is none that becomes a flow, in words. */
export function kindOf({ name, size }: { name: string; size: number }): Source['kind'] | { refused: string } {
  if (size > mostBytes)
    return { refused: `${name} has ${formatBytes(size)}. Flows have ${formatBytes(mostBytes)} at most.` };
  if (/\.zip$/i.test(name)) return 'bundle';
  if (/\.json$/i.test(name)) return 'manifest';
  return { refused: `${name} is neither an exported flow (.zip) nor a manifest (.json).` };
}

/** The name of a flow by that of its file. */
export const flowNameOf = (file: string): string => file.replace(/\.(zip|json)$/i, '').slice(0, 80);

/** The name that an answer gives its file (RFC 6266); undefined when it has none. */
export function fileNameIn(disposition: string | null): string | undefined {
  const [, coded] = /filename\*=utf-8''([^;]+)/i.exec(disposition ?? '') ?? [];
  if (coded) return decodeURIComponent(coded);
  const [, quoted, plain] = /filename=(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition ?? '') ?? [];
  return quoted?.replace(/\\(.)/g, '$1') ?? plain;
}
