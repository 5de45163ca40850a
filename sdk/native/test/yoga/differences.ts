// Where a flow on a phone is not what it is on the web, and why. The rest of `parity.json` is found by drawing.

const BUTTON_PADDING = 'Without a padding of its author it has 12 × 16 px; 10 × 14 px on the web.';

/**
 * Reasons by kind; `*` stands for a property of every kind. Without a property it is about the kind as a whole; `layout`
 * is about where its boxes stand and how large they are.
 */
export const DIFFERENCES: Readonly<Record<string, string>> = {
  '*.background':
    'A radial gradient shows its first stop. A linear one needs react-native-linear-gradient or react-native-svg, ' +
    'and is the mean of its colors without.',
  '*.shadow': "Needs React Native's new architecture; apps on the old one draw no shadow.",
  '*.fontSize': "Grows with the text size that is set on the device; a browser's zoom grows the whole screen.",
  '*.lineHeight': 'Without one, lines are as high as the font says; 1.3 times the size of their letters on the web.',
  '*.fontFamily':
    'Uploaded fonts are loaded by expo-font, or linked into the app under their names; other names have to be those ' +
    "of the device's own fonts.",
  text: 'Lines of headlines, from 28 px on, are about as long as each other on the web.',
  video: 'Needs expo-video or react-native-video; an empty box without.',
  lottie: 'Needs lottie-react-native; without it the box is empty and the animation counts as ended.',
  'lottie.fit': 'The player of phones cannot distort: `fill` is drawn as `cover`.',
  icon: 'Needs react-native-vector-icons; an empty box without.',
  image: 'SVG images need react-native-svg; an empty box without.',
  loader: 'A circular loader needs react-native-svg; without it the ring fades in.',
  button: BUTTON_PADDING,
  back_button: BUTTON_PADDING,
  oauth_provider: BUTTON_PADDING,
  email_password_submit: BUTTON_PADDING,
  'date_time_input.layout':
    "Browsers' own fields are a little higher, and have their placeholder below them; on phones it stands in the field.",
  date_time_input: "The system's pickers or wheels in a sheet; the browser's own field on the web.",
  phone_input: 'The country is chosen from a list in a sheet; from a select on the web.',
  address_input: 'The country is chosen from a list in a sheet; from a select on the web.',
  text_input: "The keyboard, its keys and autofill are the device's.",
  oauth_login: 'Brand logos need react-native-vector-icons.',
  single_choice: 'Arrow keys move between options on the web; phones have none.',
  carousel: "Swipes come to rest by the device's own physics.",
};
