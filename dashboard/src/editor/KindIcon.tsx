/** Pictures of the kinds of layer: 16 × 16, a line of 1.5, as ui/Icon has. They are not in its set because every page
 * loads that. */
const paths: Record<string, string> = {
  text: 'M3 4V3h10v1M8 3v10M6 13h4',
  stack: 'M3 3h10v4H3zM3 9h10v4H3z',
  row: 'M3 3h4v10H3zM9 3h4v10H9z',
  image: 'M2 3h12v10H2zM2.5 11.5 6 7.5l3 3.2 2-2 2.8 2.8M10.5 6h.01',
  video: 'M2 4h8.5v8H2zM10.5 7 14 5v6l-3.5-2',
  lottie: 'M2.5 12C6 12 5 4 8 4s2 8 5.5 8',
  icon: 'm8 2 1.8 3.8 4.2.6-3 3 .7 4.2L8 11.6l-3.7 2 .7-4.2-3-3 4.2-.6z',
  button: 'M2 5h12v6H2zM5.5 8h5',
  back_button: 'm10 4-4 4 4 4',
  hyperlink: 'M6.5 9.5 9.5 6.5M7 4.5l1.3-1.3a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5l-1.3 1.3a3 3 0 0 1-4.5-4.5L4.5 7',
  single_choice: 'M4 6a2 2 0 1 0 0-4 2 2 0 0 0 0 4M4 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4M8.5 4H14M8.5 12H14',
  multiple_choice: 'M2.5 2.5h3v3h-3zM2.5 10.5h3v3h-3zM8.5 4H14M8.5 12H14',
  checkbox: 'M3 3h10v10H3zM5.5 8l2 2 3.5-4',
  text_input: 'M2 4.5h12v7H2zM4.5 7v2',
  scale_input: 'M2 8h12M6 6v4',
  wheel_picker: 'M3 4h10M2 8h12M3 12h10',
  date_time_input: 'M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v2M10.5 2v2',
  number_stepper: 'M1.5 8H5M11 8h3.5M12.8 6.2v3.6M7 5.5h2v5H7z',
  phone_input: 'M5 1.5h6a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1M7.5 12.2h1',
  address_input: 'M8 14.2s4.8-4.1 4.8-7.6A4.7 4.7 0 0 0 3.2 6.6c0 3.5 4.8 7.6 4.8 7.6M8 8.2a1.6 1.6 0 1 0 0-3.2',
  oauth_login: 'M8 7.6a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2M3 13.6c0-2.4 2.2-3.8 5-3.8s5 1.4 5 3.8',
  progress: 'M2 7h12v2.5H2zM2 8.2h6',
  loader: 'M13.5 8a5.5 5.5 0 1 1-1.8-4.1',
  counter: 'M3 5.5 5 4v8M8.5 5.5a2 2 0 0 1 4 0c0 2-4 3.5-4 6.5h4.5',
  carousel: 'M4.5 3h7v10h-7zM1.5 5v6M14.5 5v6',
  conditional: 'M8 2v3M8 5 3 9.5V14M8 5l5 4.5V14',
  screen: 'M5 1.5h6a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1',
  decision: 'M8 1.8 14.2 8 8 14.2 1.8 8zM8 5.2V8.5M8 10.8h.01',
  surface: 'M2 4h12v8H2zM2 6.8h12M4.5 9.8h3',
  component:
    'M8 1.8 10.2 4 8 6.2 5.8 4zM8 9.8 10.2 12 8 14.2 5.8 12zM4 5.8 6.2 8 4 10.2 1.8 8zM12 5.8 14.2 8 12 10.2 9.8 8z',
  instance: 'M8 2.2 13.8 8 8 13.8 2.2 8z',
  end: 'M4 14V2.5M4 3h8.5l-2 2.8 2 2.7H4',
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
