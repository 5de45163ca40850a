import type { ConditionalLayer } from '@svc/core';
import { activeConditionalBranch } from '@svc/core/internal';
import { useRender } from '@svc/react-core';
import { StackView } from './stack';

/** Shows exactly one of its stacks. Drafts do not count: only submitted answers switch it. */
export function ConditionalView({ layer }: { layer: ConditionalLayer }) {
  const { expression } = useRender();
  const branch = activeConditionalBranch(layer, expression);
  return branch ? <StackView key={branch.id} layer={branch} /> : null;
}
