import quiz from '../../../../manifest/examples/branching-onboarding.json?url';
import onboarding from '../../../../manifest/examples/linear-onboarding.json?url';

const addresses = { onboarding, quiz };

type Example = keyof typeof addresses;

/** Flows to begin with. */
export const exampleNames: { value: Example; label: string }[] = [
  { value: 'onboarding', label: 'Onboarding: five screens in a row' },
  { value: 'quiz', label: 'Quiz: questions that lead different ways' },
];

export async function readExample(example: Example): Promise<unknown> {
  return (await fetch(addresses[example])).json();
}
