import { Button, Select } from '@mantine/core';
import { type ReactNode, useId, useMemo, useRef, useState } from 'react';
import { SegmentedControl } from '../../ui/SegmentedControl';
import { nameOf } from '../names';
import { screensIn } from '../screens';
import { useEditing, useNode, useSelection } from '../useEditor';
import { Happenings } from './Happenings';
import { OnPhone } from './OnPhone';
import { Person, type Tells } from './Person';
import { Phone } from './Phone';
import styles from './Preview.module.css';
import type { Given, Platform } from './port';
import { useRun } from './useRun';

type Choice = { value: string; label: string };
type Device = { id: string; name: string; size: { width: number; height: number } };

/** What is shown, and as what. */
export type Shows = {
  /** The screen that it begins with; empty for that of the flow. */
  screen: string;
  device: string;
  platform: Platform;
  locale: string;
  theme: 'light' | 'dark';
};

type Props = {
  /** The id of the flow. */
  id: string;
  begins: Shows;
  devices: readonly Device[];
  locales: Choice[];
  look: Pick<Given, 'mediaMap' | 'branding'>;
  /** Whether path, answers and events are shown, too. */
  details: boolean;
  setDetails: (details: boolean) => void;
  /** Whether what it runs as is shown from the start, where there is room for it. */
  unfolded?: boolean;
  /** Escape was pressed in what runs. */
  leave: () => void;
  title: ReactNode;
  /** What stands at the end of its head. */
  acts?: (shows: Shows) => ReactNode;
};

const platforms: (Choice & { value: Platform })[] = [
  { value: 'ios', label: 'iOS' },
  { value: 'android', label: 'Android' },
  { value: 'web', label: 'Web' },
];
const themes = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];
const first = '';
const nothingTold: Tells = { attributes: {}, permission: 'granted' };

/** Runs the draft by the SDK; nothing of it is sent. An edit shows in it where it stands. */
export function Run({
  id,
  begins,
  devices,
  locales,
  look,
  details,
  setDetails,
  unfolded = false,
  leave,
  title,
  acts,
}: Props) {
  const { canEdit } = useEditing();
  const flow = useNode('flow')!;
  const { screen: selected } = useSelection();
  const screens = screensIn(flow);
  const [from, setFrom] = useState(begins.screen);
  const [wanted, setLocale] = useState(begins.locale);
  const [theme, setTheme] = useState(begins.theme);
  const [deviceId, setDevice] = useState(begins.device);
  const [platform, setPlatform] = useState(begins.platform);
  const [reduced, setReduced] = useState(false);
  const [options, setOptions] = useState(unfolded);
  const optionsId = useId();
  const [tells, setTells] = useState(nothingTold);
  const locale = locales.some(({ value }) => value === wanted) ? wanted : locales[0]!.value;
  const device = devices.find(({ id }) => id === deviceId) ?? devices[0]!;
  const given = useMemo<Given>(
    () => ({ flow, locale, theme, platform, reduced, ...tells, ...look }),
    [flow, locale, theme, platform, reduced, tells, look],
  );
  const frame = useRef<HTMLIFrameElement>(null);
  const { told, restart, onLoad } = useRun(frame, given, { from: from || null, leave });
  const begin = (at: string) => {
    setFrom(at);
    restart(at || null);
  };
  const starts = screens.map(({ id }) => String(id)).includes(from) ? from : first;
  return (
    <>
      <header className={styles.head}>
        {title}
        <Button variant="default" size="xs" onClick={() => begin(from)}>
          Restart
        </Button>
        <Button
          variant={details ? 'light' : 'default'}
          size="xs"
          aria-pressed={details}
          onClick={() => setDetails(!details)}
        >
          Details
        </Button>
        {acts?.({ screen: starts, device: device.id, platform, locale, theme })}
      </header>
      <div className={styles.begins}>
        <Select
          aria-label="Begins with"
          size="xs"
          value={starts}
          allowDeselect={false}
          onChange={(at) => begin(at ?? first)}
          data={[
            { value: first, label: 'From the start' },
            ...screens
              .filter(({ id }) => id !== flow.entryScreenId)
              .map((object) => ({ value: String(object.id), label: `From “${nameOf(object, 'screen')}”` })),
          ]}
        />
        {selected && (
          <Button variant="default" size="xs" onClick={() => begin(selected)}>
            From here
          </Button>
        )}
        <Button
          variant={options ? 'light' : 'default'}
          size="xs"
          aria-expanded={options}
          aria-controls={optionsId}
          onClick={() => setOptions(!options)}
        >
          Options
        </Button>
      </div>
      <div className={styles.looks} id={optionsId} hidden={!options}>
        <Select
          aria-label="Device of the preview"
          size="xs"
          value={device.id}
          allowDeselect={false}
          onChange={(id) => id && setDevice(id)}
          data={devices.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <Select
          aria-label="Platform of the preview"
          size="xs"
          value={platform}
          allowDeselect={false}
          onChange={(value) => setPlatform(value as Platform)}
          data={platforms}
        />
        {locales.length > 1 && (
          <Select
            aria-label="Language of the preview"
            size="xs"
            value={locale}
            allowDeselect={false}
            onChange={(value) => value && setLocale(value)}
            data={locales}
          />
        )}
        <SegmentedControl
          aria-label="Theme of the preview"
          size="xs"
          value={theme}
          onChange={(value) => setTheme(value as 'light' | 'dark')}
          data={themes}
        />
        <Button
          variant={reduced ? 'light' : 'default'}
          size="xs"
          aria-pressed={reduced}
          title="As for a user who asks for less motion"
          onClick={() => setReduced(!reduced)}
        >
          Reduced motion
        </Button>
        <Person tells={tells} setTells={setTells} />
        {canEdit && <OnPhone flow={id} />}
      </div>
      <p role="status" className={styles.said}>
        {told?.lost && 'The screen that was shown was deleted: the preview began again.'}
      </p>
      <div className={styles.both}>
        <Phone frame={frame} onLoad={onLoad} size={device.size} />
        {details && told && <Happenings told={told} />}
      </div>
    </>
  );
}
