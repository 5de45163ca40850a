import { expect, test } from 'vitest';
import { embedCode } from './embedCode';

test('a name cannot leave its attribute', () => {
  const code = embedCode('https://svc.example/share/t', '"><script>alert(1)</script>&');
  expect(code).toContain('title="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;"');
  expect(code.match(/<script>/g)).toHaveLength(1);
});

test('the frame shows the link as an embedded page', () => {
  expect(embedCode('https://svc.example/share/t', 'Board')).toContain(
    'src="https://svc.example/share/t?embed=1&amp;theme=system"',
  );
});
