import { useSvcPrefetch } from '@svc/react';
import { useState } from 'react';
import cactus from './art/cactus.svg';
import fern from './art/fern.svg';
import monstera from './art/monstera.svg';
import sill from './art/sill.svg';
import snake from './art/snake.svg';
import type { Memory } from './memory';
import type { WORDS } from './words';

type Words = (typeof WORDS)['en'];
type Plant = keyof Words['plants'];

const PLANTS: readonly (readonly [Plant, string])[] = [
  ['fern', fern],
  ['monstera', monstera],
  ['snake', snake],
  ['cactus', cactus],
];

interface HomeProps {
  words: Words;
  memory: Memory;
  remember: (change: Partial<Memory>) => void;
  /** Ids of the channels by name. */
  places: ReadonlyMap<string, string>;
  show: (place: string) => void;
  onWater: (plant: Plant) => void;
}

/** What the app is about: plants to water today, and its settings. */
export function Home(props: HomeProps) {
  const { words } = props;
  const [tab, setTab] = useState<'today' | 'settings'>('today');
  return (
    <div className="home">
      <div className="page">{tab === 'today' ? <Today {...props} /> : <Settings {...props} />}</div>
      <nav className="tabs">
        {(['today', 'settings'] as const).map((name) => (
          <button key={name} type="button" aria-current={tab === name} onClick={() => setTab(name)}>
            <svg viewBox="0 0 24 24" width="24" height="24" fill="none" stroke="currentColor" aria-hidden="true">
              <path d={ICONS[name]} strokeWidth="1.800" strokeLinecap="round" strokeLinejoin="round" />
            </svg>
            {words[name]}
          </button>
        ))}
      </nav>
    </div>
  );
}

const ICONS = {
  today: 'M12 21V11M12 14C12 9 9 6 4 6c0 5 3 8 8 8ZM12 11c0-4 3-7 8-7 0 5-3 8-8 8',
  settings: 'M4 7h9M19 7h1M4 17h1M11 17h9M16 4.500v5M8 14.500v5',
};

function Today({ words, memory, places, show, onWater }: HomeProps) {
  const { prefetch } = useSvcPrefetch();
  const [fresh, setFresh] = useState<readonly Plant[]>([]);
  const thirsty = PLANTS.length - fresh.length;
  const water = (plant: Plant) => {
    setFresh((old) => (old.includes(plant) ? old : [...old, plant]));
    onWater(plant);
  };
  const paywall = places.get('Paywall') ?? '';
  return (
    <>
      <p className="hello">{memory.name ? `${words.morning}, ${memory.name}` : words.morning}</p>
      <h1>{thirsty > 0 ? words.thirsty(thirsty) : words.content}</h1>
      <img className="scene" src={sill} alt="" />
      <ul className="plants">
        {PLANTS.map(([plant, picture]) => {
          const { name, place } = words.plants[plant];
          return (
            <li key={plant} className={fresh.includes(plant) ? 'fresh' : ''}>
              <img src={picture} alt="" width={56} height={56} />
              <span>
                <strong>{name}</strong>
                <small>{place}</small>
              </span>
              <button type="button" aria-label={words.water(name)} onClick={() => water(plant)}>
                <svg viewBox="0 0 24 24" width="22" height="22" fill="none" stroke="currentColor" aria-hidden="true">
                  <path
                    d={
                      fresh.includes(plant)
                        ? 'M5 12.500 10 17.500 19 7'
                        : 'M12 3.500c4 5 6 7.500 6 11a6 6 0 0 1-12 0c0-3.500 2-6 6-11Z'
                    }
                    strokeWidth="2"
                    strokeLinecap="round"
                    strokeLinejoin="round"
                  />
                </svg>
              </button>
            </li>
          );
        })}
      </ul>
      <section className="plus">
        <div>
          <strong>{words.plusTitle}</strong>
          <p>{memory.plus ? words.plusOn : words.plusText}</p>
        </div>
        {!memory.plus && (
          <button type="button" onPointerEnter={() => prefetch(paywall)} onClick={() => show('Paywall')}>
            {words.plusTry}
          </button>
        )}
      </section>
    </>
  );
}

function Settings({ words, memory, remember, show }: HomeProps) {
  return (
    <>
      <h1>{words.settings}</h1>
      <ul className="rows">
        <li>
          <span>
            <strong>{words.reminders}</strong>
            <small>{words.remindersText}</small>
          </span>
          <button
            type="button"
            role="switch"
            aria-checked={memory.reminders}
            aria-label={words.reminders}
            className="switch"
            onClick={() => (memory.reminders ? remember({ reminders: false }) : show('Reminders'))}
          />
        </li>
        <li>
          <span>
            <strong>{words.plan}</strong>
            <small>{memory.plus ? words.planPlus : words.planFree}</small>
          </span>
          <button type="button" onClick={() => show(memory.plus ? 'Win-back' : 'Paywall')}>
            {memory.plus ? words.cancel : words.upgrade}
          </button>
        </li>
        <li>
          <button type="button" className="line" onClick={() => show('Survey')}>
            {words.feedback}
          </button>
        </li>
        <li>
          <button type="button" className="line" onClick={() => show('Onboarding')}>
            {words.start}
          </button>
        </li>
      </ul>
    </>
  );
}
