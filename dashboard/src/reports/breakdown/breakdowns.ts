import type {
  AttributionDimension,
  ImportedDimension,
  LocationDimension,
  TechnologyDimension,
} from '../../graphql/schema.gen';
import type { Dimension } from '../../scope/filters';

/** A report that counts sessions by a value: what it is called, and its dimensions with the filter that a row is. The
 * first dimension is the one of an address that names none. */
export type Breakdown<D extends string = string> = {
  title: string;
  dimensions: Record<D, { name: string; filter?: Dimension; imported?: ImportedDimension }>;
};

export const acquisition: Breakdown<AttributionDimension> = {
  title: 'Acquisition',
  dimensions: {
    ACQUISITION_CHANNEL: { name: 'Channel', filter: 'channel' },
    SOURCE: { name: 'Source', filter: 'source', imported: 'SOURCE' },
    REFERRER: { name: 'Referrer', filter: 'referrer', imported: 'REFERRER' },
    MEDIUM: { name: 'Medium', filter: 'medium', imported: 'MEDIUM' },
    CAMPAIGN: { name: 'Campaign', filter: 'campaign', imported: 'CAMPAIGN' },
    CONTENT: { name: 'Content', imported: 'CONTENT' },
    TERM: { name: 'Term', imported: 'TERM' },
    ADSET: { name: 'Ad set' },
    CREATIVE: { name: 'Creative' },
  },
};

export const locations: Breakdown<LocationDimension> = {
  title: 'Locations',
  dimensions: {
    COUNTRY: { name: 'Country', filter: 'country', imported: 'COUNTRY' },
    REGION: { name: 'Region', filter: 'region' },
    CITY: { name: 'City' },
  },
};

export const devices: Breakdown<TechnologyDimension> = {
  title: 'Devices',
  dimensions: {
    BROWSER: { name: 'Browser', filter: 'browser', imported: 'BROWSER' },
    OS: { name: 'OS', filter: 'os', imported: 'OS' },
    DEVICE: { name: 'Device', filter: 'device', imported: 'DEVICE' },
  },
};
