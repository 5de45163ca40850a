/** What goals and funnels can be broken down by, in the order of the choice. */
export const goalDimensions = {
  ACQUISITION_CHANNEL: 'Channel',
  SOURCE: 'Source',
  REFERRER: 'Referrer',
  CAMPAIGN: 'Campaign',
  ENTRY: 'Entry page',
  COUNTRY: 'Country',
  DEVICE: 'Device',
  BROWSER: 'Browser',
  OS: 'OS',
} as const;

export type Dimension = keyof typeof goalDimensions;
