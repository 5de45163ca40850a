import { type Presentation, presentations, useSvcContext } from '@svc/react-core';
import { createContext, type ReactNode, useContext, useSyncExternalStore } from 'react';

const NONE: readonly Presentation[] = [];

const TurnContext = createContext(true);

/** Draws what `presentFlow` was asked for, one after the other: iOS refuses a second modal beside the first. */
export function PresentationOutlet(): ReactNode {
  const { client } = useSvcContext();
  const list = useSyncExternalStore(presentations.subscribe, presentations.current, () => NONE);
  return list
    .filter((one) => one.client === client)
    .map(({ id, node }, position) => (
      <TurnContext.Provider key={id} value={position === 0}>
        {node}
      </TurnContext.Provider>
    ));
}

/** Draws its children once everything that was presented before has ended. */
export function InTurn({ children }: { children: ReactNode }): ReactNode {
  return useContext(TurnContext) ? children : null;
}
