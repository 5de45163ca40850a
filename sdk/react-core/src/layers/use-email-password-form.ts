import type { EmailPasswordAuthLayer, EmailPasswordFieldLayer } from '@svc/core';
import { emailPasswordProblem, type InputProblem } from '@svc/core/internal';
import { createContext, useEffect, useRef, useState } from 'react';
import { useEmailPasswordRequests } from '../auth/email-password';
import { useRender } from '../renderer/render-context';

type Slot = EmailPasswordFieldLayer['slot'];

/** The fields of a form. What is typed lives in them alone, so that no state ever holds a password. */
export interface EmailPasswordFields {
  read(slot: Slot): string;
  focus(slot: Slot): void;
}

export interface EmailPasswordForm {
  layer: EmailPasswordAuthLayer;
  pending: boolean;
  /** The first field that does not pass, after an attempt. */
  problem: { slot: Slot; problem: InputProblem } | null;
  /** What to tell the visitor. */
  message: string | null;
  /** Id of the element with the message. */
  messageId: string;
  /** Takes a shown problem away once its field changes. */
  touch(slot: Slot): void;
  /** Checks the fields and asks the host; then submits how it went. */
  submit(): Promise<void>;
}

/** The form around a field or a submit button; null outside of one. */
export const EmailPasswordFormContext = /* @__PURE__ */ createContext<EmailPasswordForm | null>(null);

export function useEmailPasswordForm(
  layer: EmailPasswordAuthLayer,
  messageId: string,
  fields: EmailPasswordFields,
): EmailPasswordForm {
  const context = useRender();
  const requests = useEmailPasswordRequests();
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<EmailPasswordForm['problem']>(null);
  const [failed, setFailed] = useState(false);
  const mounted = useRef(true);
  useEffect(() => {
    mounted.current = true;
    return () => {
      mounted.current = false;
    };
  }, []);

  const submit = async () => {
    if (!context.interactive || pending) return;
    const email = fields.read('email').trim();
    const credentials = {
      email,
      password: fields.read('password'),
      ...(layer.mode === 'sign_up' ? { confirmPassword: fields.read('confirm') } : {}),
    };
    const wrong = emailPasswordProblem(layer, credentials);
    setProblem(wrong);
    setFailed(false);
    if (wrong) {
      fields.focus(wrong.slot);
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

  return {
    layer,
    pending,
    problem,
    message: problem ? context.copy.problem(problem.problem) : failed ? context.copy.authFailed : null,
    messageId,
    touch: (slot) => setProblem((shown) => (shown?.slot === slot ? null : shown)),
    submit,
  };
}
