/** The kinds of layer by what people use them for. */
export const groups: readonly (readonly [name: string, kinds: readonly string[]])[] = [
  ['Text and media', ['text', 'image', 'icon', 'video', 'lottie', 'counter']],
  ['Layout', ['stack', 'carousel']],
  ['Buttons and links', ['button', 'back_button', 'hyperlink']],
  [
    'Questions',
    [
      'single_choice',
      'multiple_choice',
      'checkbox',
      'text_input',
      'number_stepper',
      'scale_input',
      'wheel_picker',
    ].concat(['date_time_input', 'phone_input', 'address_input', 'number_stepper_button', 'number_stepper_value']),
  ],
  [
    'Sign-in',
    ['oauth_login', 'oauth_provider', 'email_password_auth', 'email_password_field', 'email_password_submit'],
  ],
  ['Progress', ['progress', 'loader']],
  ['Logic', ['conditional']],
];
