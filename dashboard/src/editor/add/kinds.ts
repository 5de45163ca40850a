import { kindName } from '../names';
import type { Addition, Group } from './addition';

type Row = readonly [kind: string, what: string, words: string];

const group = (name: string, rows: readonly Row[]): Group => ({
  name,
  additions: rows.map(([kind, what, words]): Addition => ({ id: kind, kind, name: kindName(kind), what, words })),
});

/** The kinds of layer by what people use them for. */
export const kinds: readonly Group[] = [
  group('Text and media', [
    ['text', 'Headlines, paragraphs, labels', 'title heading copy caption label body words subtitle'],
    ['image', 'A picture or an illustration', 'photo picture illustration logo png jpg svg hero'],
    ['icon', 'A symbol beside words or alone', 'symbol glyph star check emoji'],
    ['video', 'A clip that plays by itself or by a button', 'movie clip mp4 film'],
    ['lottie', 'A Lottie animation', 'lottie motion json confetti'],
    ['counter', 'A number that counts, or a timer', 'countdown timer clock number statistic urgency'],
  ]),
  group('Layout', [
    ['stack', 'Layers below or beside each other', 'box row column group container card frame section list divider'],
    ['carousel', 'Pages to swipe through', 'slider slides pager swipe gallery tour'],
    ['button', 'Continues, goes somewhere or asks a permission', 'cta continue next action skip tap permission'],
    ['back_button', 'Goes back to the screen before', 'previous return arrow navigation'],
    ['hyperlink', 'Opens a website or an email', 'url href terms privacy website mail anchor'],
  ]),
  group('Questions', [
    ['single_choice', 'One answer of several', 'radio select option quiz survey poll picker'],
    ['multiple_choice', 'Several answers', 'checkboxes select options tags interests survey picker'],
    ['checkbox', 'A yes or no, such as consent', 'toggle switch consent agree tick terms opt-in'],
    ['text_input', 'A name, an email or other words', 'input field name email textarea form answer'],
    ['number_stepper', 'A number by plus and minus', 'quantity counter plus minus amount picker'],
    ['number_stepper_button', 'Plus or minus of a stepper', 'increment decrement'],
    ['number_stepper_value', 'The number of a stepper', 'amount quantity'],
    ['scale_input', 'A number on a track', 'slider range rating nps score'],
    ['wheel_picker', 'One of a list that turns', 'picker spinner dropdown select age height weight'],
    ['date_time_input', 'A day, a time or both', 'calendar birthday picker clock'],
    ['phone_input', 'A phone number with its country', 'mobile telephone sms'],
    ['address_input', 'A postal address', 'street city zip postcode country shipping'],
  ]),
  group('Sign-in and purchase', [
    ['oauth_login', 'Sign in with Apple, Google and others', 'login signup oauth account register sso'],
    ['oauth_provider', 'One more way of social sign-in', 'apple google github login oauth'],
    ['email_password_auth', 'Sign in by email and password', 'login signup account register credentials'],
    ['email_password_field', 'A field of email sign-in', 'login password confirm'],
    ['email_password_submit', 'The button of email sign-in', 'login submit'],
  ]),
  group('Progress', [
    ['progress', 'How far along users are', 'steps bar indicator'],
    ['loader', 'A wait that leads on by itself', 'spinner loading wait analyzing ring'],
  ]),
  group('Logic', [
    ['conditional', 'Shows one thing or another', 'if else branch show hide when variant rule personalize'],
  ]),
];
