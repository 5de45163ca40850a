import { createServer, type Server, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a proxy makes of what a browser asks the API: it passes it on, answers late, closes the connection, answers with
 * an error page or with the refusal of a server that is starting, or ends the answer in its middle. */
export type Fault = 'none' | 'slow' | 'cut' | 'page' | 'busy' | 'half';

/** How late slow answers are, in milliseconds. */
export const delay = 2_500;

/** A proxy between a browser and a server. Tools that come with a key, and not with a session, are always passed on. */
export class FaultyProxy {
  fault: Fault = 'none';
  target = '';
  private readonly server: Server;

  constructor() {
    this.server = createServer(async (asked, answer) => {
      const faulty = asked.url?.startsWith('/graphql') && asked.headers.cookie !== undefined;
      const fault = faulty ? this.fault : 'none';
      if (fault === 'cut') return void asked.socket.destroy();
      if (fault === 'page') {
        answer.writeHead(502, { 'Content-Type': 'text/html' });
        return void answer.end('<html><body><h1>502 Bad Gateway</h1></body></html>');
      }
      if (fault === 'busy') {
        answer.writeHead(503, { 'Content-Type': 'application/json' });
        const error = { message: 'the server is starting', extensions: { code: 'unavailable' } };
        return void answer.end(JSON.stringify({ errors: [error], data: null }));
      }
      if (fault === 'slow') await new Promise((later) => setTimeout(later, delay));
      const { hostname, port } = new URL(this.target);
      const onward = send(
        { hostname, port, path: asked.url, method: asked.method, headers: asked.headers },
        (answered) => {
          answer.writeHead(answered.statusCode!, answered.headers);
          if (fault !== 'half') {
            answered.pipe(answer);
            answered.on('close', () => answered.complete || asked.socket.destroy());
            return;
          }
          answered.once('data', (part: Buffer) => {
            answer.write(part.subarray(0, part.length / 2), () => asked.socket.destroy());
          });
        },
      );
      onward.on('error', () => asked.socket.destroy());
      answer.on('close', () => onward.destroy());
      asked.pipe(onward);
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((listening) => this.server.listen(0, '127.0.0.1', listening));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Breaks what is open, streams as well. */
  break(): void {
    this.server.closeAllConnections();
  }

  close(): void {
    this.break();
    this.server.close();
  }
}
