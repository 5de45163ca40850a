/** One set of icons: 16 × 16, a line of 1.5, in the color of the words beside them. */
const paths = {
  home: 'M2.5 7 8 2.5 13.5 7v6a.5.5 0 0 1-.5.5H9.5v-4h-3v4H3a.5.5 0 0 1-.5-.5z',
  live: 'M8 9.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3M4.8 11.2a4.5 4.5 0 0 1 0-6.4M11.2 4.8a4.5 4.5 0 0 1 0 6.4M2.7 13.3a7.5 7.5 0 0 1 0-10.6M13.3 2.7a7.5 7.5 0 0 1 0 10.6',
  acquisition: 'M2.5 13.5v-4M6.2 13.5V6M9.8 13.5V8M13.5 13.5v-11',
  engagement: 'M3.5 2.5h9v11h-9zM6 5.5h4M6 8h4M6 10.5h2',
  events: 'M8.8 1.8 3 9h4.4l-.6 5.2L12.9 7H8.3z',
  alerts: 'M8 2a4 4 0 0 0-4 4v3l-1.5 2.5h11L12 9V6a4 4 0 0 0-4-4M6.5 11.5a1.5 1.5 0 0 0 3 0',
  goals: 'M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6M8 8h.01',
  funnels: 'M2 3.5h12M4 8h8M6 12.5h4',
  paths: 'M2 4.5h2.5c3.5 0 3.5 7 7 7H14M4.5 4.5H14M12 2.5l2 2-2 2M12 9.5l2 2-2 2',
  retention: 'M13.5 8a5.5 5.5 0 1 1-1.8-4.1M13.5 2v3h-3',
  locations:
    'M8 14.2s4.8-4.1 4.8-7.6A4.7 4.7 0 0 0 8 1.8a4.7 4.7 0 0 0-4.8 4.8c0 3.5 4.8 7.6 4.8 7.6M8 8.2a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2',
  devices: 'M2 3h12v8H2zM5.5 13.5h5M8 11v2.5',
  visitors: 'M8 7.6a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2M3 13.6c0-2.4 2.2-3.8 5-3.8s5 1.4 5 3.8',
  people:
    'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 2.8a2.4 2.4 0 0 1 0 4.5M12 9.9c1.5.5 2.5 1.8 2.5 3.6',
  revenue:
    'M8 2v12M11 4.6C10.4 3.6 9.3 3.3 8 3.3c-1.7 0-3 .8-3 2.3 0 3.2 6.2 1.5 6.2 4.7 0 1.5-1.4 2.4-3.2 2.4-1.5 0-2.7-.5-3.3-1.6',
  flows: 'M2 3h4.5v4H2zM9.5 9H14v4H9.5zM6.5 5h3a2 2 0 0 1 2 2v2',
  channels: 'M2 4h12M2 8h12M2 12h12M5 2.5v3M10.5 6.5v3M7 10.5v3',
  experiments: 'M6 2h4M7 2v4L3.3 12.2a1 1 0 0 0 .9 1.5h7.6a1 1 0 0 0 .9-1.5L9 6V2',
  health: 'M1.5 8.5h3l2-5 3 9 2-4h3',
  media: 'M2 3h12v10H2zM2.5 11.5 6 7.5l3 3.2 2-2 2.8 2.8M10.5 6h.01',
  branding:
    'M8 2a6 6 0 0 0 0 12c1 0 1.5-.7 1.3-1.6-.3-1.1.4-1.9 1.4-1.9h1.3a2 2 0 0 0 2-2A6.3 6.3 0 0 0 8 2M5 8h.01M6.8 5h.01M10 5.2h.01',
  automations: 'M8 2v2.5M4 4.5h8v3H4zM8 7.5V10M4 10h8v3.5H4z',
  bell: 'M8 2a4 4 0 0 0-4 4c0 4-1.5 5-1.5 5h11S12 10 12 6a4 4 0 0 0-4-4M6.7 13.5a1.5 1.5 0 0 0 2.6 0',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9M10.3 10.3 14 14',
  share: 'M8 10V2M5 4.8 8 2l3 2.8M3 8v5.5h10V8',
  settings:
    'M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4M8 1.8v1.7M8 12.5v1.7M14.2 8h-1.7M3.5 8H1.8M12.4 3.6l-1.2 1.2M4.8 11.2l-1.2 1.2M12.4 12.4l-1.2-1.2M4.8 4.8 3.6 3.6',
  down: 'm4 6 4 4 4-4',
  left: 'm10 4-4 4 4 4',
  right: 'm6 4 4 4-4 4',
  close: 'm4 4 8 8M12 4l-8 8',
  check: 'm3.5 8.5 3 3 6-7',
  phone: 'M5 1.5h6a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1M7.5 12.2h1',
  tablet: 'M4 1.5h8a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1M7 12.2h2',
  start: 'M3 13.5v-11M3 3h9.5l-2 3 2 3H3',
  state: 'M5 4.5h6a3.5 3.5 0 0 1 0 7H5a3.5 3.5 0 0 1 0-7M11 9.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3',
  play: 'M5 3v10l8-5z',
  pause: 'M5.5 3v10M10.5 3v10',
  history: 'M2.6 6.5a5.7 5.7 0 1 1-.2 3M2.5 2.8v3.7h3.7M8 5v3.2l2.2 1.3',
  plus: 'M8 3v10M3 8h10',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  arrange: 'M2.5 2.5h4.5v6.5H2.5zM9.5 2.5h4v3h-4zM9.5 8h4v5.5h-4zM2.5 11.5H7v2H2.5z',
  grip: 'M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01',
  up: 'm4 10 4-4 4 4',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  filter: 'M2 3.5h12L9.5 9v4.5l-3-1.5V9z',
  window: 'M6.5 3.5h-4v10h10v-4M9 2.5h4.5V7M13.5 2.5 7.5 8.5',
  download: 'M8 2.5v7.5M5 7.5 8 10.5l3-3M3 13.5h10',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6M8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1',
} as const;

export type IconName = keyof typeof paths;

export const iconNames = Object.keys(paths) as readonly IconName[];

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" data-icon={name} style={{ flex: 'none' }}>
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
