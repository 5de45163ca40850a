import type { InputProblem } from '@svc/core/internal';

/** Words that the renderer itself puts on the screen or gives to screen readers. Authors write everything else. */
export interface Copy {
  /** Message of a value that does not pass. */
  problem(problem: InputProblem): string;
  addressFields: Readonly<Record<'line1' | 'line2' | 'city' | 'region' | 'postalCode' | 'country', string>>;
  country: string;
  /** Labels of the wheels of a date and a time. */
  dateParts: Readonly<Record<'year' | 'month' | 'day' | 'hour' | 'minute', string>>;
  phoneNumber: string;
  email: string;
  password: string;
  confirmPassword: string;
  increase: string;
  decrease: string;
  authFailed: string;
  slide(index: number, count: number): string;
  loading: string;
  /** A flow could not be loaded. */
  loadFailed: string;
  /** Loads it again. */
  retry: string;
  /** Gives up a payment before the page has left for it. */
  cancel: string;
  /** Leaves a list or a picker as it was. */
  close: string;
  /** Takes what was picked. */
  done: string;
  /** Takes a value away. */
  clear: string;
  search: string;
  nothingFound: string;
}

const PROBLEMS: Readonly<Record<InputProblem['code'], string>> = {
  required: 'Please fill in this field.',
  too_short: 'Please enter at least {limit} characters.',
  too_long: 'Please enter at most {limit} characters.',
  email: 'Please enter an email address.',
  phone: 'Please enter a phone number.',
  url: 'Please enter a web address.',
  number: 'Please enter a number.',
  date_time: 'Please enter a valid date or time.',
  too_early: 'Please choose {limit} or later.',
  too_late: 'Please choose {limit} or earlier.',
  out_of_range: 'Please choose a value in the range.',
  unknown_option: 'Please choose an option.',
  too_few: 'Please choose at least {limit}.',
  too_many: 'Please choose at most {limit}.',
  country: 'Please choose a country.',
  password_short: 'Please use at least {limit} characters.',
  password_long: 'Please use at most {limit} characters.',
  password_uppercase: 'Please use an upper-case letter.',
  password_lowercase: 'Please use a lower-case letter.',
  password_digit: 'Please use a digit.',
  password_special: 'Please use a special character.',
  password_mismatch: 'The passwords differ.',
};

// Texts of their own, since a member of an object that is exported keeps bundlers from leaving the object out.
/** What an error view says; a `copy` has others. */
export const DEFAULT_RESOLVE_ERROR_TITLE = 'This could not be loaded.';
/** Label of its button. */
export const DEFAULT_RESOLVE_ERROR_RETRY_LABEL = 'Try again';
/** Label of the control that gives up a payment before the page has left. */
export const PAYMENT_CANCEL_LABEL = 'Cancel';

/** English. Hosts pass a `copy` of their own for other languages. */
export const DEFAULT_COPY: Copy = {
  problem: ({ code, limit }) => PROBLEMS[code].replace('{limit}', String(limit ?? '')),
  addressFields: {
    line1: 'Address',
    line2: 'Address, line 2',
    city: 'City',
    region: 'State or region',
    postalCode: 'Postal code',
    country: 'Country',
  },
  country: 'Country',
  dateParts: { year: 'Year', month: 'Month', day: 'Day', hour: 'Hour', minute: 'Minute' },
  phoneNumber: 'Phone number',
  email: 'Email',
  password: 'Password',
  confirmPassword: 'Repeat password',
  increase: 'Increase',
  decrease: 'Decrease',
  authFailed: 'That did not work. Please try again.',
  slide: (index, count) => `${index + 1} / ${count}`,
  loading: 'Loading',
  loadFailed: DEFAULT_RESOLVE_ERROR_TITLE,
  retry: DEFAULT_RESOLVE_ERROR_RETRY_LABEL,
  cancel: PAYMENT_CANCEL_LABEL,
  close: 'Close',
  done: 'Done',
  clear: 'Clear',
  search: 'Search',
  nothingFound: 'Nothing found.',
};
