import type { EventProperties } from '../../core/src/analytics/limits';

/** Records an event. */
export type Record = (name: string, properties?: EventProperties) => void;

/** What a browser downloads rather than shows. */
const FILE =
  /\.(?:7z|apk|avi|csv|dmg|docx?|epub|exe|gz|ics|iso|jar|mov|mp3|mp4|msi|pdf|pkg|pptx?|rar|tar|txt|wav|xlsx?|zip)$/i;
const MARK = 'svcEvent';

/**
 * Clicks and forms of a page: `data-svc-event="Signed up" data-svc-plan="yearly"` on what is pressed or on a form is an
 * event with a property, links to other sites are `outbound_link`, files `file_download`, forms `form_submit`. What
 * people typed is never read.
 *
 * @param auto false leaves only what is marked
 */
export function watchActions(record: Record, auto: boolean): void {
  const options = { capture: true, passive: true };
  const click = (event: MouseEvent) => {
    if (event.button > 1) return; // a menu is no visit
    const target = event.target instanceof Element ? event.target : null;
    const marked = target?.closest<HTMLElement>('[data-svc-event]:not(form)');
    if (marked) recordMarked(record, marked);
    const link = target?.closest<HTMLAnchorElement>('a[href]');
    if (!auto || !link || marked === link || !/^https?:$/.test(link.protocol)) return;
    // Without query and fragment, which may carry secrets.
    const url = link.origin + link.pathname;
    if (FILE.test(link.pathname)) record('file_download', { url });
    else if (link.host !== location.host) record('outbound_link', { url });
  };
  addEventListener('click', click, options);
  addEventListener('auxclick', click, options);
  addEventListener(
    'submit',
    ({ target }) => {
      if (!(target instanceof HTMLFormElement)) return;
      if (target.dataset[MARK]) recordMarked(record, target);
      else if (auto) record('form_submit', { form: target.id || target.getAttribute('name') || '' });
    },
    options,
  );
}

function recordMarked(record: Record, { dataset }: HTMLElement): void {
  const properties: EventProperties = {};
  for (const [name, value] of Object.entries(dataset)) {
    // plan of data-svc-plan; names of several words are in snake case, as they are elsewhere.
    if (name.startsWith('svc') && name !== MARK)
      properties[name.slice(3).replace(/[A-Z]/g, (letter, at) => (at ? '_' : '') + letter.toLowerCase())] = value;
  }
  record(dataset[MARK] ?? '', properties);
}

/** How long a page is looked at before that is an event, in seconds: a shorter look may be a bounce. */
const ENGAGED_SECONDS = 10;
/** Without a sign of a person, a page is looked at this long, in milliseconds. */
const ATTENTION_MS = 30_000;

/**
 * How long a person looked at a page and how far they scrolled, as an event `page_engagement` {seconds, scroll} of each
 * look of ten seconds or longer. Returns what ends a look: the page is hidden, or `gone` for another one.
 */
export function watchEngagement(record: Record): (gone: boolean) => void {
  let seconds = 0;
  let scrolled = 0;
  let since = 0; // when the look began, 0 while nobody looks
  let sign = 0; // the last sign of a person
  let measuring = false;
  const pause = () => {
    if (since) seconds += Math.max(0, Math.min(Date.now(), sign + ATTENTION_MS) - since) / 1_000;
    since = 0;
  };
  const look = () => {
    const now = Date.now();
    if (document.visibilityState !== 'visible') return;
    if (since && now - sign > ATTENTION_MS) pause();
    since ||= now;
    sign = now;
  };
  // After the browser has laid out: nothing is laid out for it.
  const measure = () => {
    if (measuring) return;
    measuring = true;
    requestAnimationFrame(() => {
      const { scrollHeight } = document.documentElement;
      scrolled = Math.max(scrolled, Math.min(100, Math.round((100 * (scrollY + innerHeight)) / scrollHeight)));
      measuring = false;
    });
  };
  // A shorter look is no event: nobody waits for how much of the page it began with.
  const begin = () => setTimeout(measure, ENGAGED_SECONDS * 1_000);
  for (const name of ['pointerdown', 'keydown', 'mousemove', 'touchstart', 'focus']) {
    addEventListener(name, look, { capture: true, passive: true });
  }
  addEventListener(
    'scroll',
    () => {
      look();
      measure();
    },
    { capture: true, passive: true },
  );
  addEventListener('visibilitychange', () => (document.visibilityState === 'visible' ? look() : pause()), true);
  look();
  begin();
  return (gone) => {
    pause();
    if (seconds >= ENGAGED_SECONDS) record('page_engagement', { seconds: Math.round(seconds), scroll: scrolled });
    seconds = 0;
    if (gone) {
      scrolled = 0;
      begin();
    }
    look();
  };
}

/** Whether the server said that the page is not there. */
export function isMissingPage(): boolean {
  const [load] = performance.getEntriesByType('navigation') as (PerformanceNavigationTiming & {
    responseStatus?: number;
  })[];
  return load?.responseStatus === 404;
}
