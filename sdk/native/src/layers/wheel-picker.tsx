import type { WheelPickerLayer } from '@svc/core';
import { useLayerStyle, useWheel } from '@svc/react-core';
import { View } from 'react-native';
import { InputColumn } from './input-column';
import { WheelBand, WheelColumn } from './wheel-column';

export function WheelPickerView({ layer }: { layer: WheelPickerLayer }) {
  const style = useLayerStyle(layer);
  const wheel = useWheel(layer);
  const { itemHeight, visible } = wheel;
  return (
    <InputColumn layer={layer} style={style}>
      <View style={{ height: itemHeight * visible, flexDirection: 'row' }}>
        <WheelBand color={wheel.bandColor} itemHeight={itemHeight} visible={visible} />
        <WheelColumn
          items={wheel.items}
          index={wheel.index}
          itemHeight={itemHeight}
          visible={visible}
          label={wheel.label}
          itemStyle={wheel.itemStyle}
          selectedItemStyle={wheel.selectedItemStyle}
          onChoose={wheel.choose}
        />
      </View>
    </InputColumn>
  );
}
