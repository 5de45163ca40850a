import { AllDialog } from './AllDialog';
import { SettingsDialog } from './SettingsDialog';
import type { Asked } from './useComponents';

/** What is asked about components. */
export function Dialogs({ app, asked }: { app: string; asked: Asked }) {
  if (asked.is === 'all') return <AllDialog app={app} first={asked.component} />;
  return <SettingsDialog app={app} component={asked.is === 'settings' ? asked.component : undefined} />;
}
