/** Pictures of the kinds of layer: 16 × 16, a line of 1.5, as ui/Icon has. They are not in its set because every page
 * loads that. */
const paths: Record<string, string> = {
  text: 'M3 4V3h10v1M8 3v10M6 13h4',
  stack: 'M3 3h10v4H3zM3 9h10v4H3z',
  row: 'M3 3h4v10H3zM9 3h4v10H9z',
  image: 'M2 3h12v10H2zM2.5 11.5 6 7.500l3 3.200 2-2 2.800 2.800M10.500 6h.01',
  video: 'M2 4h8.500v8H2zM10.500 7 14 5v6l-3.500-2',
  lottie: 'M2.500 12C6 12 5 4 8 4s2 8 5.500 8',
  icon: 'm8 2 1.800 3.800 4.200.6-3 3 .7 4.200L8 11.600l-3.700 2 .7-4.200-3-3 4.200-.6z',
  button: 'M2 5h12v6H2zM5.500 8h5',
  back_button: 'm10 4-4 4 4 4',
  hyperlink:
    'M6.500 9.500 9.500 6.500M7 4.500l1.300-1.300a3 3 0 0 1 4.500 4.500L11.500 9M9 11.500l-1.300 1.300a3 3 0 0 1-4.500-4.500L4.500 7',
  single_choice: 'M4 6a2 2 0 1 0 0-4 2 2 0 0 0 0 4M4 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4M8.500 4H14M8.500 12H14',
  multiple_choice: 'M2.500 2.500h3v3h-3zM2.500 10.500h3v3h-3zM8.500 4H14M8.500 12H14',
  checkbox: 'M3 3h10v10H3zM5.500 8l2 2 3.500-4',
  text_input: 'M2 4.500h12v7H2zM4.500 7v2',
  scale_input: 'M2 8h12M6 6v4',
  wheel_picker: 'M3 4h10M2 8h12M3 12h10',
  date_time_input: 'M2.500 3.500h11v10h-11zM2.500 6.500h11M5.500 2v2M10.500 2v2',
  number_stepper: 'M1.500 8H5M11 8h3.500M12.800 6.200v3.600M7 5.500h2v5H7z',
  phone_input: 'M5 1.500h6a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1M7.500 12.200h1',
  address_input:
    'M8 14.200s4.800-4.100 4.800-7.600A4.700 4.700 0 0 0 3.200 6.600c0 3.500 4.800 7.600 4.800 7.600M8 8.200a1.600 1.600 0 1 0 0-3.200',
  oauth_login:
    'M8 7.600a2.600 2.600 0 1 0 0-5.200 2.600 2.600 0 0 0 0 5.200M3 13.600c0-2.400 2.200-3.800 5-3.800s5 1.400 5 3.800',
  progress: 'M2 7h12v2.500H2zM2 8.200h6',
  loader: 'M13.500 8a5.500 5.500 0 1 1-1.800-4.100',
  counter: 'M3 5.500 5 4v8M8.500 5.500a2 2 0 0 1 4 0c0 2-4 3.500-4 6.500h4.500',
  carousel: 'M4.500 3h7v10h-7zM1.500 5v6M14.500 5v6',
  conditional: 'M8 2v3M8 5 3 9.500V14M8 5l5 4.500V14',
  screen: 'M5 1.500h6a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1',
  decision: 'M8 1.800 14.200 8 8 14.200 1.800 8zM8 5.200V8.500M8 10.800h.01',
  surface: 'M2 4h12v8H2zM2 6.800h12M4.500 9.800h3',
  component:
    'M8 1.800 10.200 4 8 6.200 5.800 4zM8 9.800 10.200 12 8 14.200 5.800 12zM4 5.800 6.200 8 4 10.200 1.800 8zM12 5.800 14.200 8 12 10.200 9.800 8z',
  instance: 'M8 2.200 13.800 8 8 13.800 2.200 8z',
  end: 'M4 14V2.500M4 3h8.500l-2 2.800 2 2.700H4',
};
const alike: Record<string, string> = {
  decisionCase: 'decision',
  email_password_auth: 'oauth_login',
  email_password_field: 'text_input',
  email_password_submit: 'button',
  oauth_provider: 'button',
  number_stepper_button: 'button',
  number_stepper_value: 'counter',
};

export function KindIcon({ kind }: { kind: string }) {
  return (
    <svg width={14} height={14} viewBox="0 0 16 16" aria-hidden="true" style={{ flex: 'none' }}>
      <path
        d={paths[kind] ?? paths[alike[kind] ?? 'stack']}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
