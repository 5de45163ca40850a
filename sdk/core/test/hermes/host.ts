// What Node gives the test files and Hermes does not. The SDK itself must do without: this is loaded by tests only.

const host = globalThis as unknown as Record<string, unknown> & {
  setTimeout(callback: () => void, ms: number): unknown;
};

host.setImmediate ??= (callback: () => void) => host.setTimeout(callback, 0);

class TestUrl {
  readonly protocol: string;
  readonly host: string;
  readonly hostname: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
  constructor(text: string) {
    const match = /^([a-z][a-z\d+.-]*:)\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/i.exec(text);
    if (!match) throw new TypeError(`Invalid URL: ${text}`);
    const [, protocol = '', host = '', pathname = '', search = '', hash = ''] = match;
    this.protocol = protocol;
    this.host = host;
    this.hostname = host.replace(/:\d+$/, '');
    this.pathname = pathname || '/';
    this.search = search;
    this.hash = hash;
  }
}
host.URL ??= TestUrl;
