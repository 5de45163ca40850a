import { createContext, useContext } from 'react';
import type { NodeId } from './document/operation';

/** How a text does not fit: it is cut off, runs out of its box, has a word that is broken, or takes too many lines. */
export type Misfit = {
  is: 'cut' | 'outside' | 'broken' | 'lines';
  screen: NodeId;
  layer: NodeId;
  /** Names the text: its node, then the property. */
  text: string;
  path: readonly string[];
  locale: string;
  /** The id of the device that it was measured on. */
  device: string;
  /** The word with a bar where it is broken, or the number of lines. */
  detail: string;
};

const none: readonly Misfit[] = [];

/** Texts that do not fit, as measured in the renderer. Apart from the rest of the editor, as it changes after edits. */
export const MisfitsContext = createContext<readonly Misfit[]>(none);

export const useMisfits = () => useContext(MisfitsContext);
