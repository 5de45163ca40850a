import { logEvent, reset, type SvcConfig, SvcProvider } from '@svc/react';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import mark from './art/mark.svg';
import { Consent, keptConsent } from './consent';
import { Drawer } from './drawer';
import { Home } from './home';
import { useLog } from './log';
import { type Memory, useMemory } from './memory';
import { Phone } from './phone';
import { goTo, usePath } from './router';
import { Run } from './run';
import type { DevService } from './service';
import { type Theme, useMedia, useTheme } from './theme';
import { type Locale, WORDS } from './words';

/** After so many waterings the app asks how it does. */
const SURVEY_AFTER = 4;

/** The app in its phone, and beside it what the SDK does. */
export function App({ service }: { service: DevService }) {
  const [userId, setUserId] = useState('');
  const [locale, setLocale] = useState<Locale>('en');
  const [theme, setTheme] = useState<Theme>('system');
  const [wide, setWide] = useState(false);
  const [open, setOpen] = useState(false);
  const [snapshot, setSnapshot] = useState<unknown>(null);
  const { memory, remember, forget } = useMemory();
  const { lines, add } = useLog();
  const palette = useTheme(theme);
  const config = useMemo<SvcConfig>(
    () => ({
      publishableKey: service.publishableKey,
      apiBaseUrl: service.baseUrl,
      locale,
      appVersion: '1.0.0',
      customProperties: { first_name: 'Ana' },
      analytics: { consent: keptConsent() },
      ...(userId ? { userId } : {}),
    }),
    [service, userId, locale],
  );
  const isNarrow = useMedia('(max-width: 760px)');
  const direction = locale === 'ar' ? 'rtl' : 'ltr';
  useEffect(() => {
    Object.assign(document.documentElement, { lang: locale, dir: direction });
    document.documentElement.style.colorScheme = palette;
  }, [locale, direction, palette]);

  const onEvent = useCallback(
    ({ path, event }: { path: string; event: { name: string; properties?: object | null } }) => {
      add(path, event.name, event);
      if (event.name === 'surface_outcome' && JSON.stringify(event.properties).includes('purchase_completed'))
        remember({ plus: true });
    },
    [add, remember],
  );
  const signOut = () => {
    reset();
    forget();
    setUserId('');
    goTo('/');
  };
  const settings = (
    <>
      <label>
        Language
        <select value={locale} onChange={(event) => setLocale(event.target.value as Locale)}>
          <option value="en">English</option>
          <option value="de">Deutsch</option>
          <option value="ar">العربية</option>
        </select>
      </label>
      <label>
        Theme
        <select value={theme} onChange={(event) => setTheme(event.target.value as Theme)}>
          <option value="system">System</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
      <label>
        Person
        <input value={userId} placeholder="anonymous" onChange={(event) => setUserId(event.target.value.trim())} />
      </label>
      <button type="button" onClick={signOut}>
        Sign out
      </button>
    </>
  );
  return (
    <SvcProvider
      config={config}
      logLevel="warn"
      onEvent={onEvent}
      onError={(report) => add('error', report.code, report)}
    >
      <div className={`stage ${wide ? 'wide' : ''} ${open ? 'open' : ''}`} data-theme={palette}>
        <header className="bar" dir="ltr">
          <button type="button" className="brand" onClick={() => goTo('/')}>
            <img src={mark} alt="" width={32} height={32} />
            {service.app}
          </button>
          {!isNarrow && settings}
          <button type="button" aria-pressed={wide} onClick={() => setWide(!wide)}>
            {wide ? 'Phone' : 'Desk'}
          </button>
        </header>
        <Phone framed={!wide} palette={palette} direction={direction}>
          <Places
            service={service}
            memory={memory}
            remember={remember}
            palette={palette}
            locale={locale}
            onEnd={setSnapshot}
          />
        </Phone>
        <Consent words={WORDS[locale]} direction={direction} />
        <Drawer
          service={service}
          lines={lines}
          snapshot={snapshot}
          settings={isNarrow ? settings : null}
          open={open}
          onToggle={() => setOpen(!open)}
        />
      </div>
    </SvcProvider>
  );
}

interface PlacesProps {
  service: DevService;
  memory: Memory;
  remember: (change: Partial<Memory>) => void;
  palette: 'light' | 'dark';
  locale: Locale;
  onEnd: (snapshot: unknown) => void;
}

/** The home screen, or the flow whose address is open. Who is here for the first time meets the onboarding. */
function Places({ service, memory, remember, palette, locale, onEnd }: PlacesProps): ReactNode {
  const path = usePath();
  const words = WORDS[locale];
  const places = useMemo(() => new Map(service.channels.map(({ id, name }) => [name, id])), [service]);
  const show = useCallback((place: string) => goTo(`/flows/${places.get(place) ?? ''}`), [places]);
  const isFirstStart = path === '/' && !memory.onboarded && places.has('Onboarding');
  useEffect(() => {
    if (isFirstStart) show('Onboarding');
  }, [isFirstStart, show]);

  const channel = service.channels.find(({ id }) => path === `/flows/${id}`);
  if (isFirstStart) return null;
  if (channel) {
    return (
      <Run
        key={channel.id}
        service={service}
        channelId={channel.id}
        palette={palette}
        locale={locale}
        words={words}
        hasPlus={memory.plus}
        onEnd={(snapshot) => {
          onEnd(snapshot);
          const { answers } = snapshot;
          const name = answers.first_name as { value?: string } | undefined;
          if (channel.name.startsWith('Onboarding')) remember({ onboarded: true, name: name?.value ?? memory.name });
          if (channel.name === 'Reminders' && answers['permission:notifications'] === 'granted')
            remember({ reminders: true });
          if (channel.name === 'Win-back' && JSON.stringify(answers).includes('scr_bye')) remember({ plus: false });
          goTo('/');
        }}
      />
    );
  }
  const water = (plant: string) => {
    logEvent('plant_watered', { plant, litres: 0.5 });
    const watered = memory.watered + 1;
    remember({ watered });
    if (watered === SURVEY_AFTER && places.has('Survey')) show('Survey');
  };
  return <Home words={words} memory={memory} remember={remember} places={places} show={show} onWater={water} />;
}
