import { Button } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { explain, isSignedOut } from '../graphql/problems';
import { basePath, shareToken } from '../share/link';
import { Empty } from '../ui/Empty';

/** In place of a page that there is not. */
export function Missing() {
  return (
    <Empty
      title="There is no such page"
      why="The address is wrong, or the page was removed."
      next={
        <Button component="a" href={basePath}>
          {shareToken ? 'Go to the reports' : 'Go to your app'}
        </Button>
      }
    />
  );
}

/** In place of a page that could not be shown. */
export function Broken({ error, reset }: ErrorComponentProps) {
  if (isSignedOut(error) && shareToken) {
    return (
      <Empty
        title="This link shows nothing"
        why="It has expired or was revoked."
        next={<span>Ask who gave it to you for another one.</span>}
      />
    );
  }
  if (isSignedOut(error)) {
    return (
      <Empty
        title="You are signed out"
        why="Your session has ended."
        next={
          <Button component="a" href={`/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`}>
            Sign in
          </Button>
        }
      />
    );
  }
  const { title, detail } = explain(error);
  return <Empty title={title} why={detail} next={<Button onClick={reset}>Try again</Button>} />;
}
