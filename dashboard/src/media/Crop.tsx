import { Button, Modal } from '@mantine/core';
import { useRef, useState } from 'react';
import ReactCrop, { centerCrop, makeAspectCrop, type PercentCrop } from 'react-image-crop';
import { SegmentedControl } from '../ui/SegmentedControl';
import 'react-image-crop/dist/ReactCrop.css';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { croppedName, pixelsOf, ratios } from './crop';
import styles from './Media.module.css';
import type { Asset } from './queries';

type Props = {
  asset: Asset;
  /** Stores the part as a file of its own. */
  keep: (part: File) => Promise<unknown>;
  /** Stores it, and puts it wherever the picture is; undefined where nobody may, or nothing shows it. */
  replace?: ((part: File) => Promise<unknown>) | undefined;
};

/** Cuts a part out of a picture. The picture stays as it is: versions that are published show it. */
export function Crop(props: Props) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Crop
      </Button>
      <Modal
        opened={open}
        onClose={() => setOpen(false)}
        title={`Crop ${props.asset.name}`}
        size="xl"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Cutter {...props} close={() => setOpen(false)} />
      </Modal>
    </>
  );
}

function Cutter({ asset, keep, replace, close }: Props & { close: () => void }) {
  const picture = useRef<HTMLImageElement>(null);
  const [ratio, setRatio] = useState<keyof typeof ratios>('Any');
  const [crop, setCrop] = useState<PercentCrop>();
  const { busy, problem, act } = useAct();
  const image = picture.current;
  const part = image && crop && pixelsOf(crop, image.naturalWidth, image.naturalHeight);
  const choose = (name: keyof typeof ratios) => {
    setRatio(name);
    if (image) setCrop(middle(image, ratios[name]));
  };
  const finish = (take: (part: File) => Promise<unknown>, name: string) =>
    act(async () => take(await cut(image!, part!, asset)), name).then((done) => done && close());
  return (
    <div className={styles.crop}>
      <SegmentedControl
        size="xs"
        aria-label="Shape"
        value={ratio}
        onChange={(value) => choose(value as keyof typeof ratios)}
        data={Object.keys(ratios)}
      />
      <ReactCrop
        {...(crop && { crop })}
        {...(ratios[ratio] && { aspect: ratios[ratio] })}
        onChange={(_, percent) => setCrop(percent)}
        ariaLabels={{
          cropArea: 'The part that stays: arrow keys move it',
          nwDragHandle: 'Top left corner: arrow keys move it',
          nDragHandle: 'Top edge: arrow keys move it',
          neDragHandle: 'Top right corner: arrow keys move it',
          eDragHandle: 'Right edge: arrow keys move it',
          seDragHandle: 'Bottom right corner: arrow keys move it',
          sDragHandle: 'Bottom edge: arrow keys move it',
          swDragHandle: 'Bottom left corner: arrow keys move it',
          wDragHandle: 'Left edge: arrow keys move it',
        }}
      >
        <img
          ref={picture}
          src={asset.path}
          alt={asset.name}
          onLoad={({ currentTarget }) => setCrop(middle(currentTarget, undefined))}
        />
      </ReactCrop>
      <p className={styles.quiet} role="status">
        {part ? `${part.width} × ${part.height} pixels` : 'Drag over the picture to choose a part.'}
      </p>
      <div className={styles.acts}>
        {replace && (
          <Button disabled={!part} loading={busy === 'replace'} onClick={() => void finish(replace, 'replace')}>
            Save and replace everywhere
          </Button>
        )}
        <Button
          variant={replace ? 'default' : 'filled'}
          disabled={!part}
          loading={busy === 'keep'}
          onClick={() => void finish(keep, 'keep')}
        >
          Save as a new file
        </Button>
      </div>
      <Problem text={problem} />
    </div>
  );
}

/** The largest part of a shape in the middle of a picture; of any shape, most of it. */
function middle({ width, height }: HTMLImageElement, ratio: number | undefined): PercentCrop {
  const part = ratio
    ? makeAspectCrop(
        { unit: '%', ...(ratio > width / height ? { width: 100 } : { height: 100 }) },
        ratio,
        width,
        height,
      )
    : ({ unit: '%', width: 80, height: 80 } as const);
  return centerCrop(part, width, height);
}

/** The part of a picture as a file of the same kind. */
async function cut(
  image: HTMLImageElement,
  { x, y, width, height }: ReturnType<typeof pixelsOf> & object,
  { name, contentType }: Asset,
): Promise<File> {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  canvas.getContext('2d')!.drawImage(image, x, y, width, height, 0, 0, width, height);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, contentType, 0.9));
  if (!blob) throw new Error('The browser could not write the picture.');
  return new File([blob], croppedName(name, blob.type), { type: blob.type });
}
