import type { EmailPasswordAuthLayer, EmailPasswordFieldLayer, EmailPasswordSubmitLayer } from '@svc/core';
import { localize, passwordRulesDescriptor, responsiveLayout } from '@svc/core/internal';
import {
  EmailPasswordFormContext,
  splitFieldStyle,
  useEmailPasswordForm,
  useLayerStyle,
  useRender,
} from '@svc/react-core';
import { createContext, useContext, useEffect, useId, useMemo } from 'react';
import type { TextInput } from 'react-native';
import { Box } from '../renderer/box';
import { flexStyle } from '../style/flex-style';
import { ButtonBox } from './button-box';
import { Children } from './children';
import { FieldInput } from './field-input';
import { FieldMessage, InputColumn } from './input-column';

const DEFAULT_GAP = 8;
type Slot = EmailPasswordFieldLayer['slot'];

/**
 * What is typed into the fields of one form. It stands beside React's state, so that nothing that looks at states or
 * props ever meets a password, and is gone with the form.
 */
class TypedCredentials {
  private readonly words = new Map<Slot, string>();
  readonly inputs = new Map<Slot, TextInput>();

  readonly read = (slot: Slot): string => this.words.get(slot) ?? '';
  readonly focus = (slot: Slot): void => this.inputs.get(slot)?.focus();
  type(slot: Slot, text: string): void {
    this.words.set(slot, text);
  }
  forget(): void {
    this.words.clear();
  }
}
const TypedContext = createContext<TypedCredentials | null>(null);

export function EmailPasswordAuthView({ layer }: { layer: EmailPasswordAuthLayer }) {
  const { width } = useRender();
  const style = useLayerStyle(layer);
  const typed = useMemo(() => new TypedCredentials(), []);
  useEffect(() => () => typed.forget(), [typed]);
  const form = useEmailPasswordForm(layer, useId(), typed);
  const { gap, align } = responsiveLayout(
    { gap: layer.gap ?? DEFAULT_GAP, align: layer.align ?? ('stretch' as const) },
    layer.authLayoutBreakpoints,
    width,
  );
  return (
    <EmailPasswordFormContext.Provider value={form}>
      <TypedContext.Provider value={typed}>
        <Box
          layer={layer}
          role="form"
          aria-busy={form.pending}
          look={style}
          layout={flexStyle({ direction: 'vertical', gap, align })}
        >
          <Children layers={layer.children} axis="vertical" align={align} />
          <FieldMessage text={form.message} />
        </Box>
      </TypedContext.Provider>
    </EmailPasswordFormContext.Provider>
  );
}

export function EmailPasswordFieldView({ layer }: { layer: EmailPasswordFieldLayer }) {
  const context = useRender();
  const { copy } = context;
  const style = useLayerStyle(layer);
  const form = useContext(EmailPasswordFormContext);
  const typed = useContext(TypedContext);
  if (!form || !typed) return null;
  const { slot } = layer;
  const { field, column } = splitFieldStyle(style);
  const words = { email: copy.email, password: copy.password, confirm: copy.confirmPassword }[slot];
  const label = layer.placeholder ? localize(layer.placeholder, context) : words;
  const wrong = form.problem?.slot === slot;
  const isNew = form.layer.mode === 'sign_up';
  const next = nextSlot(form.layer, slot);
  return (
    <InputColumn layer={layer} style={column}>
      <FieldInput
        chrome={field}
        invalid={wrong}
        locked={form.pending}
        inputRef={(input) => {
          if (input) typed.inputs.set(slot, input);
          else typed.inputs.delete(slot);
        }}
        onChangeText={(text) => {
          typed.type(slot, text);
          form.touch(slot);
        }}
        placeholder={label}
        accessibilityLabel={label}
        {...(wrong && form.message ? { accessibilityHint: form.message } : {})}
        autoCapitalize="none"
        autoCorrect={false}
        spellCheck={false}
        returnKeyType={next ? 'next' : 'go'}
        submitBehavior={next ? 'submit' : 'blurAndSubmit'}
        onSubmitEditing={() => (next ? typed.focus(next) : void form.submit())}
        {...(slot === 'email'
          ? { keyboardType: 'email-address', autoComplete: 'username', textContentType: 'username' }
          : {
              secureTextEntry: true,
              autoComplete: isNew ? 'new-password' : 'current-password',
              textContentType: isNew ? 'newPassword' : 'password',
              ...(isNew ? { passwordRules: passwordRulesDescriptor(form.layer) } : {}),
            })}
      />
    </InputColumn>
  );
}

/** The slot that the return key leads to; none on the last field. */
function nextSlot(layer: EmailPasswordAuthLayer, slot: Slot): Slot | undefined {
  const slots: Slot[] = layer.children.flatMap((child) => (child.kind === 'email_password_field' ? [child.slot] : []));
  return slots[slots.indexOf(slot) + 1];
}

export function EmailPasswordSubmitView({ layer }: { layer: EmailPasswordSubmitLayer }) {
  const form = useContext(EmailPasswordFormContext);
  const pending = form?.pending ?? false;
  return (
    <ButtonBox
      layer={layer}
      variant={layer.buttonVariant}
      disabled={pending}
      busy={pending}
      onPress={() => void form?.submit()}
    />
  );
}
