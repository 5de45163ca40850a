import type { AttributionDimension, LocationDimension, TechnologyDimension } from '../../graphql/schema.gen';
import type { Dimension } from '../../scope/filters';

/** A report that counts sessions by a value: what it is called, and its dimensions with the filter that a row is. The
 * first dimension is the one of an address that names none. */
export type Breakdown<D extends string = string> = {
  title: string;
  dimensions: Record<D, { name: string; filter?: Dimension }>;
};

export const acquisition: Breakdown<AttributionDimension> = {
  title: 'Acquisition',
  dimensions: {
    ACQUISITION_CHANNEL: { name: 'Channel', filter: 'channel' },
    SOURCE: { name: 'Source', filter: 'source' },
    REFERRER: { name: 'Referrer', filter: 'referrer' },
    MEDIUM: { name: 'Medium', filter: 'medium' },
    CAMPAIGN: { name: 'Campaign', filter: 'campaign' },
    CONTENT: { name: 'Content' },
    TERM: { name: 'Term' },
    ADSET: { name: 'Ad set' },
    CREATIVE: { name: 'Creative' },
  },
};

export const locations: Breakdown<LocationDimension> = {
  title: 'Locations',
  dimensions: {
    COUNTRY: { name: 'Country', filter: 'country' },
    REGION: { name: 'Region', filter: 'region' },
    CITY: { name: 'City' },
  },
};

export const devices: Breakdown<TechnologyDimension> = {
  title: 'Devices',
  dimensions: {
    BROWSER: { name: 'Browser', filter: 'browser' },
    OS: { name: 'OS', filter: 'os' },
    DEVICE: { name: 'Device', filter: 'device' },
  },
};
