import type { ResolvedFlow } from '../api/types';
import type { KeyValueStore, MaybePromise, ParsedUrl } from '../host/platform';
import type { AttributionAttributes } from './attribution-keys';
import { FIRST_TOUCH_KEY, SESSION_ATTRIBUTION_KEY } from './storage-keys';
import { captureWebAttribution } from './web-attribution';

/** Where a session's attribution comes from. */
export interface SessionAttribution {
  /** Snapshot for a session that begins now. A promise makes the session's first events wait, at most 3 s. */
  begin(sessionId: string): MaybePromise<AttributionAttributes>;
  /** Snapshot of a session that was begun earlier, perhaps before a reload; undefined when it is not known. */
  restore(sessionId: string): AttributionAttributes | undefined;
  /** Snapshot of a session whose wait ended before its promise did. Default: none. */
  giveUp?(sessionId: string): AttributionAttributes;
  /** What runs of this flow see under the attribution keys. Default: nothing. */
  forRun?(flow: Pick<ResolvedFlow, 'features' | 'integrations'>): AttributionAttributes;
  /** Calls back when `forRun` may answer anew. Returns the removal. */
  onChange?(listener: () => void): () => void;
}

/** Apps without an attribution provider: nothing is known and nothing is waited for. */
export const NO_ATTRIBUTION: SessionAttribution = { begin: () => ({}), restore: () => undefined };

/**
 * Attribution of web sessions from the address and the referrer of the page. Both are taken down when the object
 * is made, so that a grant that comes late still finds how the visitor arrived.
 */
export class WebSessionAttribution implements SessionAttribution {
  private readonly landing: AttributionAttributes;
  private begun = false;

  constructor(
    private readonly tab: KeyValueStore,
    private readonly device: KeyValueStore,
    private readonly currentPage: () => ParsedUrl | null,
    referrer: ParsedUrl | null,
  ) {
    const page = currentPage();
    this.landing = page ? captureWebAttribution(page, referrer) : {};
  }

  /** How the visitor arrived at this document; lives in memory and needs no consent. */
  forRun(): AttributionAttributes {
    return this.landing;
  }

  begin(sessionId: string): AttributionAttributes {
    const attributes = this.begun ? this.again() : this.landing;
    this.begun = true;
    this.tab.setItem(SESSION_ATTRIBUTION_KEY, JSON.stringify({ sessionId, attrs: attributes }));
    if (this.device.getItem(FIRST_TOUCH_KEY) === null) this.device.setItem(FIRST_TOUCH_KEY, JSON.stringify(attributes));
    return attributes;
  }

  restore(sessionId: string): AttributionAttributes | undefined {
    // The document continues a session: its referrer belongs to that one, not to a later session.
    this.begun = true;
    try {
      const kept = JSON.parse(this.tab.getItem(SESSION_ATTRIBUTION_KEY) ?? 'null') as {
        sessionId?: unknown;
        attrs?: unknown;
      } | null;
      if (kept?.sessionId !== sessionId || typeof kept.attrs !== 'object' || kept.attrs === null) return undefined;
      return kept.attrs as AttributionAttributes;
    } catch {
      return undefined;
    }
  }

  /** A later session in the same document: the address of now, and no referrer, which would stick forever. */
  private again(): AttributionAttributes {
    const page = this.currentPage();
    return page ? captureWebAttribution(page, null) : {};
  }
}
