import type { ChoiceLayer } from '@svc/core';
import {
  type ChoiceLayout,
  type ChoiceOption,
  inputLabel,
  SelectedContext,
  useChoice,
  useLayerStyle,
  useRender,
} from '@svc/react-core';
import type { ReactNode } from 'react';
import { Pressable, StyleSheet, View } from 'react-native';
import { Box } from '../renderer/box';
import { SurroundContext } from '../renderer/surround-context';
import { COLUMN } from '../style/surround';
import { StackView } from './stack';

export function ChoiceView({ layer }: { layer: ChoiceLayer }) {
  const context = useRender();
  const style = useLayerStyle(layer);
  const { single, layout, options, choose } = useChoice(layer);
  const row = layout.direction === 'horizontal';
  const tiles = options.map((option) => (
    <Option key={option.id} option={option} single={single} beside={row} onChoose={() => choose(option.id)} />
  ));
  return (
    <Box
      layer={layer}
      role={single ? 'radiogroup' : 'group'}
      aria-label={inputLabel(context.screen, layer, context)}
      look={style}
      layout={[{ gap: layout.gap }, row ? styles.row : null]}
    >
      {layout.direction === 'grid' ? <Grid layout={layout}>{tiles}</Grid> : tiles}
    </Box>
  );
}

/** Rows of tiles, all of one width; empty places keep the last row's tiles as wide as the others. */
function Grid({ layout: { columns, gap }, children }: { layout: ChoiceLayout; children: ReactNode[] }) {
  const rows = Array.from({ length: Math.ceil(children.length / columns) }, (_, at) =>
    children.slice(at * columns, (at + 1) * columns),
  );
  return rows.map((row, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: rows have no life of their own
    <View key={at} style={[styles.gridRow, { gap }]}>
      {Array.from({ length: columns }, (_, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: nor have places
        <View key={column} style={styles.cell}>
          {row[column]}
        </View>
      ))}
    </View>
  ));
}

interface OptionProps {
  option: ChoiceOption;
  single: boolean;
  /** Whether it shares a row with others. */
  beside: boolean;
  onChoose(): void;
}

function Option({ option, single, beside, onChoose }: OptionProps) {
  const { interactive, reducedMotion } = useRender();
  const { root, selected } = option;
  return (
    <Pressable
      role={single ? 'radio' : 'checkbox'}
      testID={`option-${option.id}`}
      aria-checked={selected}
      aria-disabled={!interactive}
      disabled={!interactive}
      onPress={onChoose}
      style={({ pressed }) => [
        beside ? styles.beside : styles.tile,
        pressed ? (reducedMotion ? styles.faded : styles.pressed) : null,
      ]}
    >
      <SurroundContext.Provider value={COLUMN}>
        <SelectedContext.Provider value={selected}>
          <StackView layer={root} layout={styles.grows} />
        </SelectedContext.Provider>
      </SurroundContext.Provider>
    </Pressable>
  );
}

const styles = StyleSheet.create({
  row: { flexDirection: 'row', flexWrap: 'wrap' },
  gridRow: { flexDirection: 'row' },
  cell: { flex: 1, minWidth: 0 },
  tile: { flexGrow: 1, minWidth: 0 },
  beside: { flexGrow: 1, flexShrink: 1, flexBasis: 'auto' },
  grows: { flexGrow: 1 },
  pressed: { opacity: 0.85, transform: [{ scale: 0.97 }] },
  faded: { opacity: 0.85 },
});
