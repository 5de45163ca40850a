import { inWords } from './document/words';

/** Names of properties where the manifest's own would not say it to people. */
const names: Record<string, string> = {
  action: 'When tapped',
  allowedCountryCodes: 'Countries',
  alt: 'Description',
  align: 'Align',
  autoAdvanceMs: 'Advance after, ms',
  'config provider': 'Shown by',
  'config hostKey': 'Name in the app',
  'config offeringId': 'Offering',
  'config paymentLinkUrl': 'Payment link',
  'config placementId': 'Placement',
  'config presentation': 'Presentation',
  'containerStyle backgroundFill kind': 'Background',
  'containerStyle backgroundFill scrim color': 'Shade',
  'containerStyle backgroundFill scrim opacity': 'Shade opacity',
  fallback: 'Otherwise',
  'outcomes back': 'Went back',
  'outcomes completed': 'Completed',
  'outcomes dismissed': 'Dismissed',
  'outcomes failed': 'Failed',
  'outcomes purchase_cancelled': 'Canceled',
  'outcomes purchase_completed': 'Purchased',
  'outcomes restore_completed': 'Restored',
  bounceAmplitudePx: 'Height, px',
  blocking: 'Required',
  branching: 'When chosen, go to',
  'containerStyle insetSafeArea': 'Keep off notches',
  cycleDurationMs: 'Cycle, ms',
  defaultLocale: 'Default language',
  defaultOptionId: 'Chosen at first',
  delayMsAfterMountEnd: 'Starts later by, ms',
  delayMs: 'Delay, ms',
  distribution: 'Distribute',
  durationMs: 'Duration, ms',
  elseNext: 'Otherwise to',
  elseRootLayerId: 'Otherwise shows',
  entryScreenId: 'First screen',
  fallbackScreenId: 'Back leads to',
  fieldKey: 'Field',
  fillDelayMs: 'Delay, ms',
  locales: 'Languages',
  href: 'When tapped, opens',
  iconName: 'Icon',
  onComplete: 'When it ends',
  'next default': 'Next screen',
  preset: 'Moves',
  pulseMinOpacity: 'Least opacity',
  rotateMaxDeg: 'Angle, °',
  rotateSpringBack: 'Swings back',
  scalePatternDurationMs: 'Cycle, ms',
  scalePercent: 'By, %',
  scaleDirection: 'Grows or shrinks',
  scaleSpringBack: 'Swings back',
  sdkAttributeKeys: 'Attributes of the app',
  'stagger stepMs': 'Stagger, ms',
  'style fontFamily': 'Font',
  'style fontSize': 'Size',
  'style fontWeight': 'Weight',
  'style inset': 'From the edges',
  'style maxHeight': 'Max height',
  'style maxWidth': 'Max width',
  'style minHeight': 'Min height',
  'style minWidth': 'Min width',
  'style radius': 'Corners',
  'style shadow offsetX': 'Shadow x',
  'style shadow offsetY': 'Shadow y',
  'style backgroundOpacity': 'Fill opacity',
  'style zIndex': 'Order in depth',
  'theme borderRadius': 'Corners',
  'theme fontFamily': 'Font',
  'theme primaryForeground': 'On primary',
  timelineStartMs: 'Starts at, ms',
  translatePeakXPercent: 'Sideways, %',
  translatePeakYPercent: 'Up and down, %',
  translateSpringBack: 'Swings back',
  triggerLayerId: 'Started by',
};

/** What a property is called: its own name, after that of what it is inside of, but for styles and the theme. */
export function labelOf(path: readonly string[]): string {
  const name = names[path.join(' ')];
  if (name) return name;
  const [first = '', ...rest] = path;
  const own = rest.length > 0 && /^(style|containerStyle|theme)$/.test(first) ? rest : path;
  const words = own
    .map((name) => (name === 'backgroundFill' ? 'background' : inWords(name.replaceAll('_', ' '))))
    .join(' ')
    .replace(/ id$/, '');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A value of the manifest as people read it: `ease-in-out`, `top_center`, `signUp`. */
export function wordsOf(value: string): string {
  const words = inWords(value.replaceAll('_', ' ').replaceAll('-', ' '));
  return words.charAt(0).toUpperCase() + words.slice(1);
}
