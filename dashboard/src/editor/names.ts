import type { JsonObject } from './document/operation';
import { labelOf } from './document/words';

/** What people call the kinds of layer. */
export const kindNames: Record<string, string> = {
  address_input: 'Address',
  back_button: 'Back button',
  button: 'Button',
  carousel: 'Carousel',
  checkbox: 'Checkbox',
  conditional: 'Condition',
  counter: 'Counter',
  date_time_input: 'Date or time',
  email_password_auth: 'Email sign-in',
  email_password_field: 'Sign-in field',
  email_password_submit: 'Sign-in button',
  hyperlink: 'Link',
  icon: 'Icon',
  image: 'Image',
  loader: 'Loader',
  lottie: 'Animation',
  multiple_choice: 'Multiple choice',
  number_stepper: 'Stepper',
  number_stepper_button: 'Stepper button',
  number_stepper_value: 'Stepper value',
  oauth_login: 'Social sign-in',
  oauth_provider: 'Sign-in provider',
  phone_input: 'Phone number',
  progress: 'Progress bar',
  scale_input: 'Scale',
  single_choice: 'Single choice',
  stack: 'Stack',
  text: 'Text',
  text_input: 'Text field',
  video: 'Video',
  wheel_picker: 'Wheel',
  screen: 'Screen',
  decision: 'Decision',
  decisionCase: 'Case',
  conditionalCase: 'Case',
  option: 'Option',
  wheelOption: 'Option',
  motion: 'Motion',
  clip: 'Animation',
  surface: 'Paywall or app screen',
  flow: 'Flow',
};

export const kindName = (kind: string): string => kindNames[kind] ?? 'Layer';

const roots: Record<string, string> = { header: 'Header', body: 'Body', footer: 'Footer' };

/** What a node is called in lists: the name that its author gave it, its words, its region, else its kind. */
export function nameOf(object: JsonObject, kind: string, slot = ''): string {
  const label = labelOf({ id: '', kind, object });
  return label.startsWith('“') ? label.slice(1, -1) : (roots[slot] ?? kindName(kind));
}
