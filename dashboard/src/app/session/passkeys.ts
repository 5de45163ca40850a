/** The browser's passkeys, as of WebAuthn Level 3; browsers of before 2025 lack what reads and writes JSON. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && 'parseCreationOptionsFromJSON' in PublicKeyCredential;

/** Asks the browser to make a passkey. */
export async function makePasskey(options: unknown): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  return written(await navigator.credentials.create({ publicKey }));
}

/** Asks the browser to sign with whatever passkey of this server it has. */
export async function signWithPasskey(options: unknown): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  return written(await navigator.credentials.get({ publicKey }));
}

const written = (credential: Credential | null): unknown => (credential as PublicKeyCredential | null)?.toJSON();

/** Whether the reader closed the browser's question, or let it run out. */
export const isDeclined = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'NotAllowedError';
