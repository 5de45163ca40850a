import { defineConfig } from 'vitest/config';
import { MUTANTS } from './mutants.mjs';

const mutant = MUTANTS[Number(process.env.MUTANT)];

export default defineConfig({
  plugins: mutant
    ? [
        {
          name: 'mutant',
          enforce: 'pre',
          transform(code, id) {
            const [file, before, after] = mutant;
            if (!id.endsWith(`/core/src/${file}`)) return null;
            return code.replace(before, () => after);
          },
        },
      ]
    : [],
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/{analytics,api,client,events,host,run}/**/*.test.ts'],
    environment: 'node',
  },
});
