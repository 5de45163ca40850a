import { useRender } from '@svc/react-core';
import { useMemo, useState } from 'react';
import { FlatList, Pressable, StyleSheet, View } from 'react-native';
import { Words } from '../renderer/words';
import { FieldInput } from './field-input';
import { searchKey } from './search-key';
import { Sheet } from './sheet';

/** Height of a row, px. */
const ROW = 48;

/** Keeps the sign of a dialling code in front of it where lines read from right to left. */
const READS_RIGHT = '\u200e';

export interface Country {
  code: string;
  name: string;
  /** Dialling code, where it matters. */
  dial?: string;
}

export interface CountrySheetProps {
  countries: readonly Country[];
  chosen: string;
  onChoose(code: string): void;
  onClose(): void;
}

/** A list of countries that can be searched by name, code and dialling code. */
export function CountrySheet({ countries, chosen, onChoose, onClose }: CountrySheetProps) {
  const { copy } = useRender();
  const [query, setQuery] = useState('');
  const wanted = searchKey(query);
  const found = useMemo(
    () =>
      countries.filter(
        ({ code, name, dial }) =>
          wanted === '' ||
          searchKey(name).includes(wanted) ||
          code.toLowerCase() === wanted ||
          (dial !== undefined && `+${dial}`.startsWith(wanted.startsWith('+') ? wanted : `+${wanted}`)),
      ),
    [countries, wanted],
  );
  const at = countries.findIndex(({ code }) => code === chosen);
  return (
    <Sheet title={copy.country} close={{ label: copy.close, onPress: onClose }} tall>
      <View style={styles.search}>
        <FieldInput
          chrome={{}}
          value={query}
          onChangeText={setQuery}
          placeholder={copy.search}
          accessibilityLabel={copy.search}
          autoCapitalize="none"
          autoCorrect={false}
          returnKeyType="search"
        />
      </View>
      <FlatList
        data={found}
        keyExtractor={({ code }) => code}
        keyboardShouldPersistTaps="handled"
        getItemLayout={(_, index) => ({ length: ROW, offset: ROW * index, index })}
        initialScrollIndex={wanted === '' && at > 3 ? at - 3 : 0}
        extraData={chosen}
        ListEmptyComponent={<Words text={copy.nothingFound} style={{ fontSize: 14, align: 'center' }} />}
        renderItem={({ item }) => (
          <CountryRow country={item} chosen={item.code === chosen} onPress={() => onChoose(item.code)} />
        )}
      />
    </Sheet>
  );
}

function CountryRow({ country, chosen, onPress }: { country: Country; chosen: boolean; onPress(): void }) {
  const { name, dial } = country;
  return (
    <Pressable
      role="radio"
      aria-checked={chosen}
      aria-label={dial === undefined ? name : `${name} +${dial}`}
      onPress={onPress}
      style={({ pressed }) => [styles.row, pressed ? styles.pressed : null]}
    >
      <View style={styles.name}>
        <Words text={name} lines={1} style={{ fontSize: 16, fontWeight: chosen ? 600 : 400 }} />
      </View>
      {dial === undefined ? null : <Words text={`${READS_RIGHT}+${dial}`} style={{ fontSize: 16, opacity: 0.6 }} />}
      {chosen ? <Words text="✓" style={{ fontSize: 16, fontWeight: 600 }} /> : null}
    </Pressable>
  );
}

const styles = StyleSheet.create({
  search: { paddingHorizontal: 16, paddingBottom: 8 },
  row: { height: ROW, paddingHorizontal: 16, flexDirection: 'row', alignItems: 'center', gap: 12 },
  pressed: { opacity: 0.6 },
  name: { flex: 1 },
});
