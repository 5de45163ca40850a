import { useIntersection } from '@mantine/hooks';

/** Whether an element is in sight or about a screen away from it: what is drawn late is there before it is seen. */
export function useNear<E extends HTMLElement>() {
  const { ref, entry } = useIntersection<E>({ rootMargin: '800px 0px' });
  return { ref, near: entry?.isIntersecting ?? false };
}
