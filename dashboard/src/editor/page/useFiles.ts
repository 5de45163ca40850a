import { useCallback } from 'react';
import { explain } from '../../graphql/problems';
import { refusal, typeOf } from '../../media/files';
import { mediaChanged, upload } from '../../media/queries';
import type { Size } from '../canvas/board';
import { find, isObject } from '../document/canonical';
import { newLayer } from '../document/commands/defaults';
import { insert } from '../document/commands/insert';
import { nodeOf } from '../document/document';
import type { Editor } from '../document/editor';
import type { NodeId } from '../document/operation';
import { label } from '../document/words';
import type { FilesSpot } from '../useEditor';
import { isScreenshot } from './screenshot';

type Page = {
  editor: Editor;
  /** What screens are drawn for. */
  device: Size;
  workspace: string;
  /** Whether whoever edits may add to the library too. */
  mayAdd: boolean;
  /** Is told where a file is that was uploaded. */
  added: (id: string, path: string) => void;
  say: (outcome: true | string) => void;
};

const kinds = { IMAGE: 'image', LOTTIE: 'lottie', VIDEO: 'video' };

/** Uploads files that were pasted or dropped, one after the other, and shows them: in place of the file of a layer of
 * their kind, else in layers of their own, a screenshot behind those of a screen. What can't be taken is said by its name at the end. */
export function useFiles({ editor, device, workspace, mayAdd, added, say }: Page) {
  return useCallback(
    async (files: readonly File[], first: FilesSpot) => {
      if (!mayAdd) return say('Your role may not add files to the library');
      const said: string[] = [];
      let spot = first;
      for (const [at, file] of files.entries()) {
        const type = typeOf(file.name);
        const why = refusal(file) ?? (type === 'FONT' ? `${file.name} is a font: add it in Branding.` : undefined);
        if (why !== undefined || !type || type === 'FONT') {
          said.push(why!);
          continue;
        }
        say(`Uploading ${file.name}${files.length > 1 ? `, ${at + 1} of ${files.length}` : ''}…`);
        try {
          const { id, path } = await upload(workspace, file);
          added(id, path);
          const isBehind = type === 'IMAGE' && spot.behind && (await isScreenshot(file, device));
          const put = isBehind ? showBehind(editor, spot.behind!, id) : show(editor, kinds[type], file.name, id, spot);
          if (put !== true) said.push(`${file.name}: ${put}.`);
          spot = {}; // the next one stands behind it
        } catch (error) {
          const { title, detail } = explain(error);
          said.push(`${file.name}: ${title}. ${detail}`);
        }
      }
      say(said.join(' ') || true);
      void mediaChanged();
    },
    [editor, device, workspace, mayAdd, added, say],
  );
}

/** Shows an image of the library as the background of a screen. Returns true, or why not, in words. */
function showBehind(editor: Editor, screen: NodeId, mediaAssetId: string) {
  const path = ['containerStyle', 'backgroundFill'];
  const own = find(editor.object(screen), path);
  const fill = isObject(own) && own.kind === 'image' ? own : { kind: 'image', fit: 'cover' };
  return editor.runStep({
    name: `Change the background of ${label(editor.document, screen)}`,
    operations: [{ op: 'set', node: screen, path, value: { ...fill, media: { mediaAssetId } } }],
  });
}

/** Shows a file of the library in a layer. Returns true, or why not, in words. */
function show(editor: Editor, kind: string, file: string, mediaAssetId: string, { over, to }: FilesSpot) {
  const node = over === undefined ? undefined : nodeOf(editor.document, over);
  const media = { mediaAssetId };
  if (node?.kind === kind)
    return editor.runStep({ name: '', operations: [{ op: 'set', node: node.id, path: ['media'], value: media }] });
  const name = [...file.replace(/\.\w+$/, '')].slice(0, 80).join('');
  // A place that somebody has removed meanwhile is none.
  const there = to && nodeOf(editor.document, to.parent) ? to : undefined;
  return editor.run(insert, {
    ...{ kind, name: `“${name}”`, to: there },
    make: ({ newId, key }) => ({ ...newLayer(kind, newId, key), name, media }),
  });
}
