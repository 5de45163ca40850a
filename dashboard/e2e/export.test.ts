import { createServer, type Server as Storage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open, page, suite, visitor } from './suite';
import { violations } from './visitor';

suite();

const objects = new Map<string, Buffer>();
let storage: Storage;

/** What a body is that comes in chunks with a signature each. */
function dechunked(body: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const start = body.indexOf('\r\n', at) + 2;
    const size = Number.parseInt(body.toString('latin1', at, start), 16);
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(body.subarray(start, start + size));
    at = start + size + 2;
  }
}

/** Storage that keeps what it is sent: signatures are held to by the tests of the server. */
beforeAll(async () => {
  storage = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://storage');
    const name = decodeURIComponent(pathname).split('/').slice(2).join('/');
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const answer = (status: number, body: string | Buffer = '') =>
      response
        .writeHead(status, { ETag: '"0"', 'Last-Modified': new Date().toUTCString() })
        .end(request.method === 'HEAD' ? '' : body);
    if (pathname.split('/')[1] !== 'history') {
      return answer(404, '<Error><Code>NoSuchBucket</Code><Message>There is no such bucket</Message></Error>');
    }
    if (request.method === 'PUT') {
      const sent = Buffer.concat(parts);
      objects.set(name, request.headers['x-amz-decoded-content-length'] ? dechunked(sent) : sent);
      return answer(200);
    }
    if (request.method === 'DELETE') {
      objects.delete(name);
      return answer(204);
    }
    if (searchParams.has('location')) return answer(200, '<LocationConstraint>eu-central-1</LocationConstraint>');
    if (name === '') {
      const prefix = searchParams.get('prefix') ?? '';
      const found = [...objects.keys()].filter((key) => key.startsWith(prefix));
      const listed = found.map(
        (key) => `<Contents><Key>${key}</Key><Size>${objects.get(key)!.length}</Size></Contents>`,
      );
      return answer(200, `<ListBucketResult><IsTruncated>false</IsTruncated>${listed.join('')}</ListBucketResult>`);
    }
    const object = objects.get(name);
    if (!object) return answer(404, '<Error><Code>NoSuchKey</Code></Error>');
    response.setHeader('Content-Length', object.length);
    return answer(200, object);
  });
  await new Promise<void>((done) => storage.listen(0, '127.0.0.1', done));
});

afterAll(() => new Promise<unknown>((done) => storage.close(done)));

test('an environment is exported into a bucket', { timeout: 120_000 }, async () => {
  const endpoint = `http://127.0.0.1:${(storage.address() as AddressInfo).port}`;
  await open('settings?tab=export');
  const form = page.getByRole('main');
  await form.getByRole('textbox', { name: 'Endpoint' }).fill(endpoint);
  await form.getByRole('textbox', { name: 'Bucket' }).fill('elsewhere');
  await form.getByRole('textbox', { name: 'Access key ID' }).fill('AKIDEXAMPLE');
  await form.getByLabel('Secret access key').fill(' wJalrXUtnFEMI/K7MDENG ');
  await form.getByRole('button', { name: 'Check connection' }).click();
  await form
    .getByRole('status')
    .filter({ hasText: /bucket/i })
    .waitFor();
  await form.getByRole('textbox', { name: 'Bucket' }).fill('history');
  await form.getByRole('textbox', { name: 'Prefix' }).fill('svc');
  await form.getByRole('button', { name: 'Check connection' }).click();
  await form.getByText('It works: files can be listed, written, read and deleted.').waitFor();
  expect([...objects.keys()]).toEqual([]);
  expect(await violations(page)).toEqual([]);

  await form.getByRole('button', { name: 'Save export' }).click();
  await form.getByText('Every day').waitFor();
  await form.getByText('Succeeded').waitFor({ timeout: 60_000 });
  await form.getByText(/files written/).waitFor();
  await form.getByText(/next run/).waitFor();
  expect([...objects.keys()]).toContain('svc/environment=live/manifest.json');
  for (const mode of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: mode });
    expect([mode, await violations(page)]).toEqual([mode, []]);
  }

  await form.getByRole('button', { name: 'Edit' }).click();
  expect(await form.getByLabel('Secret access key').inputValue()).toBe('');
  await form.getByRole('button', { name: 'Cancel' }).click();
  await form.getByRole('button', { name: 'Remove' }).click();
  await form.getByRole('button', { name: 'Remove' }).last().click();
  await form.getByRole('textbox', { name: 'Endpoint' }).waitFor();
  expect(objects.size).toBeGreaterThan(1); // what is there stays
  expect(visitor.complaints).toEqual([]);
});
