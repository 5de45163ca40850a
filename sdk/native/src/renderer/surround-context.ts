import { createContext, useContext } from 'react';
import { COLUMN, type Surround } from '../style/surround';

export const SurroundContext = createContext<Surround>(COLUMN);

/** The box around the layer. */
export const useSurround = (): Surround => useContext(SurroundContext);
