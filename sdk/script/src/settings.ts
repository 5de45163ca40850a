/** What a page says of its script: the attributes of `<script src="https://your-server/svc.js" data-key="ob_pk_…">`. */
export interface Settings {
  /** Where the script came from, and where its events go: `https://your-server`, or the path of a proxy. */
  server: string;
  /** `data-key`: a publishable key of the app. */
  key: string;
  /**
   * `data-consent`. The line in a page says that collecting is allowed; `pending` waits for `svc('consent', 'granted')`,
   * and until then nothing is sent, kept or read on the device.
   */
  consent: Consent;
  /** `data-hash`: `off` counts a change behind `#/` as no page of its own. */
  hash: boolean;
  /** `data-auto`: `off` records pages and what is marked by `data-svc-event`, and nothing else by itself. */
  auto: boolean;
  /** `data-flow`: the channel whose flow is shown above the page once it is loaded. */
  flow: string | undefined;
}

export type Consent = 'granted' | 'denied' | 'pending';

/** @throws Error where the attributes can't work, naming the one */
export function readSettings(script: HTMLScriptElement): Settings {
  const { key = '', consent = 'granted', hash, auto, flow } = script.dataset;
  if (!key.startsWith('ob_pk_')) throw new Error('svc.js: data-key is no publishable key (ob_pk_…)');
  if (!isConsent(consent)) throw new Error('svc.js: data-consent is granted, denied or pending');
  return {
    server: script.src.slice(0, script.src.lastIndexOf('/')),
    key,
    consent,
    hash: hash !== 'off',
    auto: auto !== 'off',
    flow,
  };
}

export function isConsent(value: unknown): value is Consent {
  return value === 'granted' || value === 'denied' || value === 'pending';
}
