import { createContext, useContext } from 'react';
import { Platform, StatusBar } from 'react-native';
import type { EdgeInsets } from 'react-native-safe-area-context';
import { loadSafeArea } from '../host/drawn-modules';

/** Room that the device takes at the edges of the screen, px. */
export interface Insets {
  top: number;
  bottom: number;
}

const NOT_PROVIDED = createContext<EdgeInsets | null>(null);

/** What is known without `react-native-safe-area-context`: the height of Android's status bar. */
function statusBarInsets(): Insets {
  return { top: Platform.OS === 'android' ? (StatusBar.currentHeight ?? 0) : 0, bottom: 0 };
}

/** Whether what is drawn reaches the top of the screen: not where it is presented as a card that begins below. */
export const CoveredTopContext = createContext(true);

/** Room that the device takes at the top and the bottom. Works without a provider around the flow. */
export function useInsets(): Insets {
  const safeArea = loadSafeArea();
  const provided = useContext(safeArea?.SafeAreaInsetsContext ?? NOT_PROVIDED);
  const { top, bottom } = provided ?? safeArea?.initialWindowMetrics?.insets ?? statusBarInsets();
  return { top: useContext(CoveredTopContext) ? top : 0, bottom };
}
