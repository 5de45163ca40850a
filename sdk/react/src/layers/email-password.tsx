import {
  type EmailPasswordAuthLayer,
  type EmailPasswordFieldLayer,
  type EmailPasswordSubmitLayer,
  emailPasswordProblem,
  type InputProblem,
  localize,
  passwordRulesDescriptor,
  responsiveLayout,
} from '@svc/core';
import { createContext, type FormEvent, type RefObject, useContext, useEffect, useId, useRef, useState } from 'react';
import { useEmailPasswordRequests } from '../auth/email-password';
import { Box, layerOpacity } from '../renderer/box';
import { useAxis, useRender } from '../renderer/render-context';
import { useLayerStyle } from '../renderer/use-layer-style';
import { boxCss } from '../style/box-css';
import { fieldCss, splitFieldStyle } from '../style/field-css';
import { flexCss } from '../style/flex-css';
import { ButtonBox } from './button-box';
import { Children } from './children';
import { FieldMessage, InputColumn } from './input-column';

const DEFAULT_GAP = 8;

type Slot = EmailPasswordFieldLayer['slot'];

interface FormState {
  layer: EmailPasswordAuthLayer;
  pending: boolean;
  problem: { slot: Slot; problem: InputProblem } | null;
  messageId: string;
  /** The inputs themselves. What is typed lives in them alone, so that no state ever holds a password. */
  inputs: RefObject<Partial<Record<Slot, HTMLInputElement | null>>>;
  /** Takes a shown problem away once its field changes. */
  touch(slot: Slot): void;
}
const FormContext = createContext<FormState | null>(null);

export function EmailPasswordAuthView({ layer }: { layer: EmailPasswordAuthLayer }) {
  const context = useRender();
  const axis = useAxis();
  const style = useLayerStyle(layer);
  const requests = useEmailPasswordRequests();
  const id = useId();
  const inputs = useRef<Partial<Record<Slot, HTMLInputElement | null>>>({});
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<FormState['problem']>(null);
  const [failed, setFailed] = useState(false);
  const mounted = useRef(true);
  useEffect(() => {
    mounted.current = true;
    return () => {
      mounted.current = false;
    };
  }, []);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!context.interactive || pending) return;
    const typed = (slot: Slot) => inputs.current[slot]?.value ?? '';
    const email = typed('email').trim();
    const credentials = {
      email,
      password: typed('password'),
      ...(layer.mode === 'sign_up' ? { confirmPassword: typed('confirm') } : {}),
    };
    const wrong = emailPasswordProblem(layer, credentials);
    setProblem(wrong);
    setFailed(false);
    if (wrong) {
      inputs.current[wrong.slot]?.focus();
      return;
    }
    setPending(true);
    const { manifest, screen } = context;
    const { fieldKey, mode } = layer;
    const payload = { manifest, screenId: screen.id, layerId: layer.id, fieldKey, mode, ...credentials };
    const result = await (requests?.broker.request(payload, requests.timeoutMs) ??
      Promise.resolve({ success: false, error: 'no_provider' }));
    if (!mounted.current) return;
    setPending(false);
    setFailed(!result.success);
    const respond = requests?.respond ?? context.respond;
    const { success, error } = result;
    const outcome = { layerId: layer.id, fieldKey, mode, email, success, ...(error ? { error } : {}) };
    respond({ kind: 'email_password_auth_resolve', ...outcome });
  };

  const { gap, align } = responsiveLayout(
    { gap: layer.gap ?? DEFAULT_GAP, align: layer.align ?? ('stretch' as const) },
    layer.authLayoutBreakpoints,
    context.width,
  );
  const form: FormState = {
    layer,
    pending,
    problem,
    messageId: `${id}-problem`,
    inputs,
    touch: (slot) => setProblem((shown) => (shown?.slot === slot ? null : shown)),
  };
  const message = problem ? context.copy.problem(problem.problem) : failed ? context.copy.authFailed : null;
  return (
    <FormContext.Provider value={form}>
      <Box
        as="form"
        noValidate
        layer={layer}
        onSubmit={(event: FormEvent) => void submit(event)}
        aria-busy={pending}
        opacity={layerOpacity(style)}
        css={{
          position: 'relative',
          ...flexCss({ direction: 'vertical', gap, align }),
          ...boxCss(style, axis, context),
        }}
      >
        <Children layers={layer.children} axis="vertical" />
        <FieldMessage id={form.messageId} text={message} />
      </Box>
    </FormContext.Provider>
  );
}

export function EmailPasswordFieldView({ layer }: { layer: EmailPasswordFieldLayer }) {
  const context = useRender();
  const style = useLayerStyle(layer);
  const form = useContext(FormContext);
  if (!form) return null;
  const { slot } = layer;
  const { field, column } = splitFieldStyle(style);
  const words = { email: context.copy.email, password: context.copy.password, confirm: context.copy.confirmPassword }[
    slot
  ];
  const label = layer.placeholder ? localize(layer.placeholder, context.locale) : words;
  const wrong = form.problem?.slot === slot;
  const newPassword = form.layer.mode === 'sign_up';
  const rules = slot === 'email' || !newPassword ? {} : { passwordrules: passwordRulesDescriptor(form.layer) };
  return (
    <InputColumn layer={layer} style={column}>
      <input
        ref={(element) => {
          form.inputs.current[slot] = element;
        }}
        className="svc-field"
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
        style={fieldCss(field, undefined, context)}
        {...rules}
      />
    </InputColumn>
  );
}

export function EmailPasswordSubmitView({ layer }: { layer: EmailPasswordSubmitLayer }) {
  const form = useContext(FormContext);
  const pending = form?.pending ?? false;
  return <ButtonBox layer={layer} variant={layer.buttonVariant} type="submit" disabled={pending} busy={pending} />;
}
