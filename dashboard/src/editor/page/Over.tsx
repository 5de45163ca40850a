import { useState } from 'react';
import { type Act, useActs } from '../../app/acts';
import { KeyList } from '../../app/palette/KeyList';
import { Palette } from '../../app/palette/Palette';
import { FindText } from '../find/FindText';

export type OverWhat = 'palette' | 'keys' | 'find';

type Props = { is: OverWhat; close: () => void; screens: () => Act[]; show: (layer: string) => void };

/** What keys open over the editor: the palette, the list of keys, and finding words. */
export function Over({ is, close, screens, show }: Props) {
  const [found] = useState(screens);
  useActs(found);
  if (is === 'palette') return <Palette close={close} hint="Search commands and screens" />;
  if (is === 'keys') return <KeyList close={close} />;
  return <FindText close={close} show={show} />;
}
