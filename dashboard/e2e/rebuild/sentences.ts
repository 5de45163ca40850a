import type { Locator } from 'playwright-core';
import { canonical } from '../../src/editor/document/canonical';
import type { JsonObject } from '../../src/editor/document/operation';
import type { Subject } from '../../src/sentences/operators';
import { type Clause, type Sentence, toSentence } from '../../src/sentences/sentence';

/** Writes a condition as a sentence: rows of what, how and a value, all or any of which must hold. Returns false for one
 * that has groups in groups. */
export async function setExpression(
  group: Locator,
  expression: JsonObject,
  subjects: readonly Subject[],
): Promise<boolean> {
  const sentence = toSentence(expression);
  const clauses = sentence.is === 'group' ? sentence.parts : [sentence];
  if (!clauses.every(isClause)) return false;
  const rows = group.getByRole('group');
  // The last row that is taken away leaves "Never", which a condition takes the place of.
  while ((await rows.count()) > 0)
    await rows
      .last()
      .getByRole('button', { name: /^Remove: / })
      .click();
  for (const [at, clause] of clauses.entries()) {
    await group.getByRole('button', { name: 'Condition', exact: true }).click();
    await setClause(rows.nth(at), clause, subjects);
  }
  if (sentence.is === 'group' && sentence.match === 'any')
    await group.getByLabel('All or any of these').selectOption('any');
  return true;
}

const isClause = (part: Sentence): part is Clause => part.is === 'clause';

async function setClause(row: Locator, { subject, operator, value }: Clause, subjects: readonly Subject[]) {
  const at = subjects.findIndex(({ variable }) => canonical(variable) === canonical(subject));
  if (at >= 0) await row.getByLabel('What', { exact: true }).selectOption(String(at));
  else {
    await row.getByLabel('What', { exact: true }).selectOption('another');
    await row.getByLabel('Name of the attribute').fill(String(subject.key));
    await row.getByLabel('Name of the attribute').press('Enter');
  }
  await row.getByLabel('How', { exact: true }).selectOption(operator.id);
  if (operator.takes === 'options') {
    const known = subjects[at]!.options!;
    for (const option of known.toSorted((a, b) => has(b.value) - has(a.value))) {
      const button = row
        .getByRole('group', { name: 'Values' })
        .getByRole('button', { name: option.label, exact: true });
      if (((await button.getAttribute('aria-pressed')) === 'true') !== (has(option.value) === 1)) await button.click();
    }
    return;
  }
  const field = row.getByLabel('Value', { exact: true });
  if ((await field.evaluate((element) => element.tagName)) === 'SELECT') await field.selectOption(String(value));
  else {
    await field.fill(String(value));
    await field.press('Enter');
  }

  function has(option: string) {
    return Number((value as readonly string[]).includes(option));
  }
}
