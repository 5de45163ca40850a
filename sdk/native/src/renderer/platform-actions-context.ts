import type { PlatformActions } from '@svc/react-core';
import { createContext, useContext } from 'react';

/** Nothing to ask: every permission counts as denied, and there are no review prompts. */
const NO_ACTIONS: PlatformActions = { requestPermission: async () => 'denied' };

/** What buttons may ask of the operating system; the flavour's own components set it. */
export const PlatformActionsContext = createContext<PlatformActions>(NO_ACTIONS);

export const usePlatformActions = (): PlatformActions => useContext(PlatformActionsContext);
