import { queryOptions } from '@tanstack/react-query';
import art from '../../../../cmd/svc/demo/flows/art.json';
import onboarding from '../../../../cmd/svc/demo/flows/onboarding.json?url';
import survey from '../../../../cmd/svc/demo/flows/survey.json?url';
import quiz from '../../../../manifest/examples/branching-onboarding.json?url';
import { replaceAsset } from '../../media/files';
import { upload } from '../../media/queries';

const addresses = { onboarding, survey, quiz };

export type Example = keyof typeof addresses;

/** Flows to begin with: those that any app can publish, without a provider of payments. */
export const exampleNames: readonly { value: Example; name: string; about: string }[] = [
  { value: 'onboarding', name: 'Onboarding', about: 'Questions about plants, a plan made of the answers, an account.' },
  { value: 'survey', name: 'Survey', about: 'How it goes, why, and thanks.' },
  { value: 'quiz', name: 'Quiz', about: 'Plain questions that lead different ways.' },
];

const files = import.meta.glob<string>('../../../../cmd/svc/demo/flows/art/*.svg', {
  query: '?url',
  import: 'default',
  eager: true,
});

/** Addresses of the examples' pictures by the asset ids in their manifests. */
export const examplePictures: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(art).map(([id, name]) => [id, files[`../../../../cmd/svc/demo/flows/art/${name}`]!]),
);

/** The manifest of an example. */
export const exampleQuery = (example: Example) =>
  queryOptions({
    queryKey: ['Example', example],
    queryFn: async ({ signal }): Promise<unknown> => (await fetch(addresses[example], { signal })).json(),
    staleTime: Number.POSITIVE_INFINITY, // it is part of the build
  });

/** A manifest of an example as a workspace can publish it: its pictures are put into the media library. */
export async function withPictures(manifest: unknown, workspace: string): Promise<unknown> {
  const text = JSON.stringify(manifest);
  let filled = manifest;
  for (const [id, address] of Object.entries(examplePictures)) {
    if (!text.includes(id)) continue;
    const picture = await (await fetch(address)).blob();
    const name = (art as Record<string, string>)[id]!;
    const asset = await upload(workspace, new File([picture], name, { type: 'image/svg+xml' }));
    filled = replaceAsset(filled, id, asset.id);
  }
  return filled;
}
