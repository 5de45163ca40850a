import { createServer } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { freePort } from './program';
import { another, page, server, suite, visitor } from './suite';
import { violations } from './visitor';

/** The emails that were sent, as they came. */
const mails: string[] = [];

/** A mail server that takes everything (RFC 5321). */
const mailbox = createServer((socket) => {
  let [line, mail] = ['', undefined as string | undefined];
  socket.write('220 mailbox\r\n');
  socket.on('error', () => {}); // who sends may go without a word
  socket.on('data', (data) => {
    const lines = `${line}${data}`.split('\r\n');
    line = lines.pop()!;
    for (const said of lines) {
      if (mail === undefined) {
        if (said === 'DATA') mail = '';
        socket.write(said === 'DATA' ? '354 go on\r\n' : said === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n');
      } else if (said === '.') {
        mails.push(mail);
        mail = undefined;
        socket.write('250 ok\r\n');
      } else mail += `${said}\r\n`;
    }
  });
});
const port = await freePort();
await new Promise<void>((done) => mailbox.listen(port, '127.0.0.1', done));
afterAll(() => void mailbox.close());

suite({
  signedIn: false,
  settings: {
    ...{ SVC_SMTP_HOST: '127.0.0.1', SVC_SMTP_PORT: String(port), SVC_SMTP_TLS: 'off' },
    SVC_MAIL_FROM: 'svc@example.com',
  },
});

/** The addresses of the links in the emails so far, quoted-printable undone. */
const links = () =>
  mails.flatMap(
    (mail) =>
      mail
        .replaceAll('=\r\n', '')
        .replaceAll('=3D', '=')
        .match(/http\S+?\/reset-password\?token=\w+/)?.[0] ?? [],
  );

async function signIn(password: string, at = page) {
  await at.goto(`${server.baseUrl}/sign-in`);
  await at.getByLabel('Email').fill(server.admin.email);
  await at.getByRole('textbox', { name: 'Password' }).fill(password);
  await at.getByRole('button', { name: 'Sign in', exact: true }).click();
}

async function ask(email: string) {
  await page.goto(`${server.baseUrl}/sign-in`);
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await page.getByRole('heading', { name: 'Reset your password' }).waitFor(); // sign-in has an email, too
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Send link' }).click();
  await page.getByRole('status').getByText(`If ${email} has an account here, a link is on its way.`).waitFor();
}

async function setPassword(link: string, password: string) {
  await page.goto(link);
  await page.getByRole('textbox', { name: 'New password' }).fill(password);
  await page.getByRole('button', { name: 'Set password' }).click();
}

test('who forgot the password sets a new one by a link in an email, which works once', async () => {
  visitor.expected = /status of 4\d\d/; // of passwords and links that are refused
  const elsewhere = await another();
  await signIn(server.admin.password, elsewhere.page);
  await elsewhere.page.waitForURL(/\/live\/home/);
  await ask('nobody@example.com');
  await ask(server.admin.email);
  expect(await violations(page)).toEqual([]);
  await expect.poll(() => links().length, { timeout: 30_000 }).toBe(1);
  expect(mails).toHaveLength(1); // nobody was written to
  const [link] = links();
  expect(link).toContain(server.baseUrl);
  expect(mails[0]).toContain(server.admin.email);

  await setPassword(link!, 'words that are new');
  await page.getByRole('status').getByText('All sessions of your account have ended.').waitFor();
  expect(await violations(page)).toEqual([]);
  await elsewhere.page.reload();
  await elsewhere.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await setPassword(link!, 'words of somebody else');
  await page.getByRole('alert').getByText('This link was used or has expired.').waitFor();

  for (const wrong of [server.admin.password, 'words of somebody else']) {
    await signIn(wrong);
    await page.getByRole('alert').getByText(/wrong/).waitFor();
  }
  await signIn('words that are new');
  await page.waitForURL(/\/live\/home/);
});
