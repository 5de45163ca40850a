import { createContext, useContext } from 'react';
import type { NodeId } from './document/operation';

/** Somebody else who has the draft open, and what they have selected. */
export type Person = {
  /** Of the open editor: somebody with two is there twice. */
  client: string;
  name: string;
  /** White words on it can be read (4.5 : 1). */
  color: string;
  screen: NodeId | null;
  layers: readonly NodeId[];
  /** Null while it rests, or is on no screen. */
  pointer: PersonPointer | null;
};

/** Where a pointer is on a screen, in the screen's own pixels: it is there whatever the zoom and the order of screens. */
export type PersonPointer = { screen: NodeId; x: number; y: number };

export const OthersContext = createContext<readonly Person[]>([]);

export const useOthers = () => useContext(OthersContext);

const colors = ['#b4235a', '#1f6f43', '#8a4b00', '#5b3cc4', '#0b6e8a', '#a3261b', '#4f5f00', '#7a2d8f'];

/** The color of an open editor, the same for everybody. */
export function colorOf(client: string): string {
  let sum = 0;
  for (const letter of client) sum = (sum * 31 + letter.charCodeAt(0)) % 9973;
  return colors[sum % colors.length]!;
}

/** The letters that stand for a name: those of its first and last word. */
export function initialsOf(name: string): string {
  const words = name
    .split('@')[0]!
    .split(/[\s._-]+/)
    .filter(Boolean);
  const ends = words.length > 1 ? [words[0]!, words.at(-1)!] : [words[0] ?? name];
  return ends.map((word) => [...word][0]?.toUpperCase() ?? '').join('');
}
