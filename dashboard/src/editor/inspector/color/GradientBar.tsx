import { type CSSProperties, type KeyboardEvent, type PointerEvent, useLayoutEffect, useRef, useState } from 'react';
import { NumberInput } from '../controls/NumberInput';
import styles from './Color.module.css';
import { colorAt, type Gradient, gradientText, type Stop, widestGap, without, withStop } from './gradient';
import { Picker } from './Picker';

type Props = { gradient: Gradient; change: (gradient: Gradient) => void; settle: () => void };

/** How far a stop is pulled from the bar to take it away, in px. */
const away = 40;

/** Stops on a bar: a click adds one, a drag moves it, Delete or pulling it away removes it. */
export function GradientBar({ gradient, change, settle }: Props) {
  const { angle, stops } = gradient;
  const [chosen, setChosen] = useState(0);
  const at = Math.min(chosen, stops.length - 1);
  const stop = stops[at]!;
  const bar = useRef<HTMLFieldSetElement>(null);
  const dragged = useRef<{ others: readonly Stop[]; color: string }>(undefined);
  // Stops have no ids: where one passes another, or goes, the focus is led on.
  const focused = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (focused.current !== undefined) (bar.current!.children[focused.current] as HTMLElement).focus();
    focused.current = undefined;
  });
  const choose = (index: number, focus: boolean) => {
    setChosen(index);
    if (focus) focused.current = index;
  };
  const put = (others: readonly Stop[], to: Stop, focus = true) => {
    const { stops, index } = withStop(others, to);
    choose(index, focus);
    change({ angle, stops });
  };
  const remove = (index: number) => {
    if (stops.length <= 2) return;
    choose(Math.max(0, index - 1), true);
    change({ angle, stops: without(stops, index) });
  };
  const place = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return ((clientX - left) / width) * 100;
  };
  const down = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    settle();
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    const index = (event.target as HTMLElement).dataset.stop;
    const where = place(event);
    if (index === undefined) {
      const color = colorAt(stops, where);
      dragged.current = { others: stops, color };
      put(stops, { color, at: where });
    } else {
      dragged.current = { others: without(stops, Number(index)), color: stops[Number(index)]!.color };
      choose(Number(index), true);
    }
  };
  const drag = (event: PointerEvent<HTMLElement>) => {
    if (!dragged.current) return;
    const { others, color } = dragged.current;
    const { top, bottom } = event.currentTarget.getBoundingClientRect();
    const isAway = event.clientY < top - away || event.clientY > bottom + away;
    if (isAway && others.length >= 2) {
      choose(0, true);
      change({ angle, stops: others });
    } else put(others, { color, at: place(event) });
  };
  const drop = () => {
    dragged.current = undefined;
    settle();
  };
  const press = (event: KeyboardEvent, index: number) => {
    const { color, at } = stops[index]!;
    const by = event.shiftKey ? 10 : 1;
    const to = { ArrowLeft: at - by, ArrowDown: at - by, ArrowRight: at + by, ArrowUp: at + by, Home: 0, End: 100 }[
      event.key
    ];
    if (to !== undefined) put(without(stops, index), { color, at: to });
    else if (/^(Delete|Backspace)$/.test(event.key)) remove(index);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const painted = { '--gradient': gradientText({ angle: 90, stops }) } as CSSProperties;
  return (
    <>
      <fieldset
        ref={bar}
        className={styles.bar}
        dir="ltr"
        style={painted}
        aria-label="Stops"
        title="Click to add a stop; pull one away to remove it"
        onPointerDown={down}
        onPointerMove={drag}
        onPointerUp={drop}
        onPointerCancel={drop}
        onBlur={() => dragged.current || settle()}
      >
        {stops.map(({ color, at: where }, i) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: stops have no ids
            key={i}
            role="slider"
            tabIndex={0}
            data-stop={i}
            data-chosen={i === at || undefined}
            style={{ '--x': `${where}%`, '--solid': color } as CSSProperties}
            aria-label={`Stop ${i + 1}`}
            aria-valuenow={where}
            aria-valuetext={`${where} %, ${color}`}
            onFocus={() => choose(i, false)}
            onKeyDown={(event) => press(event, i)}
          />
        ))}
      </fieldset>
      <span className={styles.stop}>
        <NumberInput
          label="Angle in degrees"
          mark="∠"
          value={angle}
          min={0}
          max={360}
          change={(to) => change({ angle: to ?? 180, stops })}
        />
        <NumberInput
          label="Position in percent"
          mark="%"
          value={stop.at}
          min={0}
          max={100}
          change={(to) => to !== undefined && put(without(stops, at), { color: stop.color, at: to }, false)}
        />
        <button
          type="button"
          aria-label="Add stop"
          onClick={() => put(stops, { color: colorAt(stops, widestGap(stops)), at: widestGap(stops) })}
        >
          Add
        </button>
        <button type="button" aria-label="Remove stop" disabled={stops.length <= 2} onClick={() => remove(at)}>
          Remove
        </button>
      </span>
      <Picker
        color={stop.color}
        change={(color) => change({ angle, stops: stops.map((one, i) => (i === at ? { ...one, color } : one)) })}
        settle={settle}
      />
    </>
  );
}
