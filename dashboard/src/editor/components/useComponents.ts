import { createContext, useContext } from 'react';
import type { Instance } from '../document/components/marks';
import type { Component } from './queries';

/** What is asked about components in a dialog. */
export type Asked = { is: 'save' } | { is: 'settings'; component: Component } | { is: 'all'; component?: string };

export type Components = {
  /** The app's, by name; undefined until they are read. */
  list: readonly Component[] | undefined;
  find: (id: string) => Component | undefined;
  ask: (what: Asked | undefined) => void;
  /** Makes instances in the draft what their components are now. */
  follow: () => void;
  /** Makes a component what one of its instances is. */
  update: (instance: Instance) => void;
};

export const ComponentsContext = createContext<Components>({
  list: undefined,
  find: () => undefined,
  ask: () => {},
  follow: () => {},
  update: () => {},
});

export const useComponents = () => useContext(ComponentsContext);
