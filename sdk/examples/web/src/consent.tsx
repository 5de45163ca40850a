import { setAnalyticsConsent } from '@svc/react';
import { useState } from 'react';
import type { WORDS } from './words';

const KEY = 'tendril.consent';

/** What the visitor said on this tab; until then nothing is counted. */
export function keptConsent(): 'granted' | 'denied' | 'pending' {
  const kept = sessionStorage.getItem(KEY);
  return kept === 'granted' || kept === 'denied' ? kept : 'pending';
}

export function Consent({ words, direction }: { words: (typeof WORDS)['en']; direction: 'ltr' | 'rtl' }) {
  const [asked, setAsked] = useState(() => keptConsent() !== 'pending');
  if (asked) return null;
  const answer = (value: 'granted' | 'denied') => () => {
    setAnalyticsConsent(value);
    sessionStorage.setItem(KEY, value);
    setAsked(true);
  };
  return (
    <aside className="consent" dir={direction}>
      <span>{words.consent}</span>
      <button type="button" onClick={answer('granted')}>
        {words.yes}
      </button>
      <button type="button" onClick={answer('denied')}>
        {words.no}
      </button>
    </aside>
  );
}
