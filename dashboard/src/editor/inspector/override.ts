import { createContext } from 'react';
import type { NodeId } from '../document/operation';

/** What a property of a layer of an instance is to its component. */
export type Override = {
  /** Makes it the component's again; undefined where it is. */
  reset?: () => void;
  /** Whether instances follow the component in it, and have no value of their own. */
  locked: boolean;
};

/** Tells it of a property; undefined outside of instances. */
export const OverrideContext = createContext<(node: NodeId, path: readonly string[]) => Override | undefined>(
  () => undefined,
);
