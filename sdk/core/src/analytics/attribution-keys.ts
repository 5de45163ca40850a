/** Attribution as it travels: flat canonical keys (wire.md §10.1). */
export type AttributionAttributes = Record<string, string | number | boolean>;

/** Columns of the attribution reports. */
export type AttributionColumn =
  | 'source'
  | 'medium'
  | 'campaign'
  | 'content'
  | 'term'
  | 'adset'
  | 'creative'
  | 'referrer'
  | 'landing_url'
  | 'organic';

/** The one table of columns, canonical keys and short names on this side (analytics.md §1). */
export const ATTRIBUTION_KEYS: readonly { column: AttributionColumn; key: string; alias: string }[] = [
  { column: 'source', key: 'acquisition.source', alias: 'source' },
  { column: 'medium', key: 'acquisition.channel', alias: 'medium' },
  { column: 'campaign', key: 'acquisition.campaign', alias: 'campaign' },
  { column: 'content', key: 'link.ext.utm_content', alias: 'content' },
  { column: 'term', key: 'link.ext.utm_term', alias: 'term' },
  { column: 'adset', key: 'acquisition.adset', alias: 'adset' },
  { column: 'creative', key: 'acquisition.creative', alias: 'creative' },
  { column: 'referrer', key: 'link.ext.referrer', alias: 'referrer' },
  { column: 'landing_url', key: 'link.ext.landing_url', alias: 'landingUrl' },
  { column: 'organic', key: 'attribution.isOrganic', alias: 'organic' },
];

function asText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** What the reports make of a snapshot: the canonical key wins over the short name unless it is empty. */
export function attributionColumns(
  attributes: Readonly<Record<string, unknown>>,
): Partial<Record<AttributionColumn, string | boolean>> {
  const columns: Partial<Record<AttributionColumn, string | boolean>> = {};
  for (const { column, key, alias } of ATTRIBUTION_KEYS) {
    const text = asText(attributes[key]) || asText(attributes[alias]);
    if (column !== 'organic') {
      if (text !== '') columns[column] = text;
    } else if (text === 'true' || text === '1') columns.organic = true;
    else if (text === 'false' || text === '0') columns.organic = false;
  }
  return columns;
}

/** Whether a snapshot says anything besides who took it. */
export function hasAttributionSignal(attributes: AttributionAttributes): boolean {
  return Object.keys(attributes).some((key) => key !== 'attribution.provider');
}
