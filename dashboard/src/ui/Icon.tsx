/** One set of icons: 16 × 16, a line of 1.5, in the colour of the words beside them. */
const paths = {
  home: 'M2.5 7 8 2.5 13.5 7v6a.5.5 0 0 1-.5.5H9.5v-4h-3v4H3a.5.5 0 0 1-.5-.5z',
  live: 'M8 9.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3M4.8 11.2a4.5 4.5 0 0 1 0-6.4M11.2 4.8a4.5 4.5 0 0 1 0 6.4M2.7 13.3a7.5 7.5 0 0 1 0-10.6M13.3 2.7a7.5 7.5 0 0 1 0 10.6',
  acquisition: 'M2.5 13.5v-4M6.2 13.5V6M9.8 13.5V8M13.5 13.5v-11',
  engagement: 'M3.5 2.5h9v11h-9zM6 5.5h4M6 8h4M6 10.5h2',
  events: 'M8.8 1.8 3 9h4.4l-.6 5.2L12.9 7H8.3z',
  retention: 'M13.5 8a5.5 5.5 0 1 1-1.8-4.1M13.5 2v3h-3',
  places:
    'M8 14.2s4.8-4.1 4.8-7.6A4.7 4.7 0 0 0 8 1.8a4.7 4.7 0 0 0-4.8 4.8c0 3.5 4.8 7.6 4.8 7.6M8 8.2a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2',
  technology: 'M2 3h12v8H2zM5.5 13.5h5M8 11v2.5',
  visitors: 'M8 7.6a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2M3 13.6c0-2.4 2.2-3.8 5-3.8s5 1.4 5 3.8',
  revenue:
    'M8 2v12M11 4.6C10.4 3.6 9.300 3.300 8 3.300c-1.700 0-3 .8-3 2.300 0 3.200 6.200 1.500 6.200 4.700 0 1.500-1.400 2.400-3.200 2.400-1.500 0-2.700-.5-3.300-1.600',
  flows: 'M2 3h4.500v4H2zM9.500 9H14v4H9.500zM6.500 5h3a2 2 0 0 1 2 2v2',
  channels: 'M2 4h12M2 8h12M2 12h12M5 2.500v3M10.500 6.500v3M7 10.500v3',
  experiments: 'M6 2h4M7 2v4L3.300 12.200a1 1 0 0 0 .9 1.500h7.600a1 1 0 0 0 .9-1.500L9 6V2',
  bell: 'M8 2a4 4 0 0 0-4 4c0 4-1.5 5-1.5 5h11S12 10 12 6a4 4 0 0 0-4-4M6.7 13.500a1.500 1.500 0 0 0 2.600 0',
  search: 'M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9M10.300 10.300 14 14',
  settings:
    'M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4M8 1.800v1.700M8 12.500v1.700M14.200 8h-1.700M3.500 8H1.800M12.400 3.600l-1.200 1.200M4.800 11.200l-1.200 1.200M12.400 12.400l-1.200-1.200M4.800 4.800 3.600 3.600',
  down: 'm4 6 4 4 4-4',
  left: 'm10 4-4 4 4 4',
  right: 'm6 4 4 4-4 4',
  close: 'm4 4 8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  menu: 'M2.500 4.500h11M2.500 8h11M2.500 11.500h11',
  filter: 'M2 3.500h12L9.500 9v4.500l-3-1.500V9z',
  download: 'M8 2.500v7.500M5 7.500 8 10.500l3-3M3 13.500h10',
  sun: 'M8 10.800a2.800 2.800 0 1 0 0-5.600 2.800 2.800 0 0 0 0 5.600M8 1.500V3M8 13v1.500M1.500 8H3M13 8h1.500M3.400 3.400l1 1M11.600 11.600l1 1M12.600 3.400l-1 1M4.400 11.600l-1 1',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" style={{ flex: 'none' }}>
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
