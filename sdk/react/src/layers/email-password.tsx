import type { EmailPasswordAuthLayer, EmailPasswordFieldLayer, EmailPasswordSubmitLayer } from '@svc/core';
import { localize, passwordRulesDescriptor, responsiveLayout } from '@svc/core/internal';
import {
  EmailPasswordFormContext,
  splitFieldStyle,
  useAxis,
  useEmailPasswordForm,
  useLayerStyle,
  useRender,
} from '@svc/react-core';
import { createContext, type FormEvent, type RefObject, useContext, useId, useRef } from 'react';
import { Box, layerOpacity } from '../renderer/box';
import { boxCss } from '../style/box-css';
import { fieldCss } from '../style/field-css';
import { flexCss } from '../style/flex-css';
import { useStyleProps } from '../style/server-sheet';
import { ButtonBox } from './button-box';
import { Children } from './children';
import { FieldMessage, InputColumn } from './input-column';

const DEFAULT_GAP = 8;

type Slot = EmailPasswordFieldLayer['slot'];
/** The inputs themselves. What is typed lives in them alone, so that no state ever holds a password. */
type Inputs = RefObject<Partial<Record<Slot, HTMLInputElement | null>>>;

const InputsContext = /* @__PURE__ */ createContext<Inputs | null>(null);

export function EmailPasswordAuthView({ layer }: { layer: EmailPasswordAuthLayer }) {
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer);
  const id = useId();
  const inputs: Inputs = useRef({});
  const form = useEmailPasswordForm(layer, `${id}-problem`, {
    read: (slot) => inputs.current[slot]?.value ?? '',
    focus: (slot) => inputs.current[slot]?.focus(),
  });
  const { gap, align } = responsiveLayout(
    { gap: layer.gap ?? DEFAULT_GAP, align: layer.align ?? ('stretch' as const) },
    layer.authLayoutBreakpoints,
    context.width,
  );
  return (
    <EmailPasswordFormContext.Provider value={form}>
      <InputsContext.Provider value={inputs}>
        <Box
          as="form"
          noValidate
          layer={layer}
          onSubmit={(event: FormEvent) => {
            event.preventDefault();
            void form.submit();
          }}
          aria-busy={form.pending}
          opacity={layerOpacity(style)}
          css={{
            position: 'relative',
            ...flexCss({ direction: 'vertical', gap, align }),
            ...boxCss(style, axis, context),
          }}
        >
          <Children layers={layer.children} axis="vertical" />
          <FieldMessage id={form.messageId} text={form.message} />
        </Box>
      </InputsContext.Provider>
    </EmailPasswordFormContext.Provider>
  );
}

export function EmailPasswordFieldView({ layer }: { layer: EmailPasswordFieldLayer }) {
  const styleProps = useStyleProps();
  const context = useRender();
  const style = useLayerStyle(layer);
  const form = useContext(EmailPasswordFormContext);
  const inputs = useContext(InputsContext);
  if (!form || !inputs) return null;
  const { slot } = layer;
  const { field, column } = splitFieldStyle(style);
  const words = { email: context.copy.email, password: context.copy.password, confirm: context.copy.confirmPassword }[
    slot
  ];
  const label = layer.placeholder ? localize(layer.placeholder, context) : words;
  const wrong = form.problem?.slot === slot;
  const newPassword = form.layer.mode === 'sign_up';
  const rules = slot === 'email' || !newPassword ? {} : { passwordrules: passwordRulesDescriptor(form.layer) };
  return (
    <InputColumn layer={layer} style={column}>
      <input
        ref={(element) => {
          inputs.current[slot] = element;
        }}
        type={slot === 'email' ? 'email' : 'password'}
        autoComplete={slot === 'email' ? 'username' : newPassword ? 'new-password' : 'current-password'}
        autoCapitalize="none"
        spellCheck={false}
        placeholder={label}
        disabled={form.pending}
        readOnly={!context.interactive}
        aria-label={label}
        aria-invalid={wrong}
        aria-describedby={wrong ? form.messageId : undefined}
        onChange={() => form.touch(slot)}
        {...styleProps(fieldCss(field, undefined, context), 'svc-field')}
        {...rules}
      />
    </InputColumn>
  );
}

export function EmailPasswordSubmitView({ layer }: { layer: EmailPasswordSubmitLayer }) {
  const form = useContext(EmailPasswordFormContext);
  const pending = form?.pending ?? false;
  return <ButtonBox layer={layer} variant={layer.buttonVariant} type="submit" disabled={pending} busy={pending} />;
}
