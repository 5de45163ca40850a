// Stands in for the part of React Native that the host of the SDK asks; Hermes alone has none of it.

type Watcher = (state: string) => void;
const watchers = new Set<Watcher>();

export const AppState = {
  currentState: 'active',
  addEventListener: (_: string, watcher: Watcher) => {
    watchers.add(watcher);
    return { remove: () => watchers.delete(watcher) };
  },
  enter: (state: string) => {
    for (const watcher of [...watchers]) watcher(state);
  },
};
export const Platform = { OS: 'android', Version: 34 };
export const Dimensions = { get: () => ({ width: 411, height: 891 }) };
export const Appearance = { getColorScheme: () => 'light', addChangeListener: () => ({ remove: () => undefined }) };
