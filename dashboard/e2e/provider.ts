import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Who can sign in at the provider: each is a button of its page. */
export type Claims = { sub: string; email: string; email_verified: boolean };

/** An OpenID provider, whose page asks who one is. */
export class Provider {
  url = '';
  /** Answers its own endpoints with 503. */
  isDown = false;
  private readonly keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  private readonly codes = new Map<string, { claims: Claims; nonce: string; challenge: string }>();
  private readonly server = createServer((request, response) => void this.answer(request, response));

  constructor(private readonly people: Record<string, Claims>) {}

  async listen(): Promise<string> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return this.url;
  }

  close = () => this.server.close();

  private async answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname, searchParams } = new URL(request.url!, this.url);
    const say = (value: unknown, status = 200) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
    if (this.isDown) return say({}, 503);
    switch (pathname) {
      case '/.well-known/openid-configuration':
        return say({
          issuer: this.url,
          authorization_endpoint: `${this.url}/authorize`,
          token_endpoint: `${this.url}/token`,
          jwks_uri: `${this.url}/keys`,
          id_token_signing_alg_values_supported: ['RS256'],
        });
      case '/keys':
        return say({
          keys: [{ ...this.keys.publicKey.export({ format: 'jwk' }), kid: 'a', alg: 'RS256', use: 'sig' }],
        });
      case '/authorize':
        return response.setHeader('Content-Type', 'text/html').end(this.page(searchParams));
      case '/token': {
        let body = '';
        for await (const part of request) body += part;
        const form = new URLSearchParams(body);
        const asked = this.codes.get(form.get('code')!);
        this.codes.delete(form.get('code')!);
        const challenge = createHash('sha256').update(form.get('code_verifier')!).digest('base64url');
        if (asked?.challenge !== challenge) return say({ error: 'invalid_grant' }, 400);
        return say({ access_token: 'x', token_type: 'Bearer', id_token: this.token(asked.claims, asked.nonce) });
      }
    }
    return say({}, 404);
  }

  /** A link for each person, and one that declines. */
  private page(asked: URLSearchParams): string {
    const back = (answer: Record<string, string>) =>
      `${asked.get('redirect_uri')}?${new URLSearchParams({ ...answer, state: asked.get('state')! })}`.replace(
        /&/g,
        '&amp;',
      );
    const links = Object.entries(this.people).map(([name, claims]) => {
      const code = randomUUID();
      this.codes.set(code, { claims, nonce: asked.get('nonce')!, challenge: asked.get('code_challenge')! });
      return `<a href="${back({ code })}">${name}</a>`;
    });
    return `<title>Provider</title><h1>Who are you?</h1>${links.join(' ')} <a href="${back({ error: 'access_denied' })}">Nobody</a>`;
  }

  private token(claims: Claims, nonce: string): string {
    const now = Math.floor(Date.now() / 1000);
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = `${encode({ alg: 'RS256', kid: 'a' })}.${encode({ ...claims, nonce, iss: this.url, aud: 'svc', iat: now, exp: now + 300 })}`;
    return `${signed}.${sign('sha256', Buffer.from(signed), this.keys.privateKey).toString('base64url')}`;
  }
}
