import { ActionIcon, Menu } from '@mantine/core';
import { Icon } from '../../ui/Icon';
import { type State, stateNames, states } from '../canvas/states';

/** Which state the screens are drawn in: one that people bring about shows without running the flow. */
export function StateMenu({ state, setState }: { state: State; setState: (state: State) => void }) {
  return (
    // In the bar: outside of the page's parts a screen reader would not know where it is. The first item has the focus at
    // once: what the library would focus instead is no item, which a menu may not hold.
    <Menu withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon
          variant={state === 'opens' ? 'subtle' : 'light'}
          color={state === 'opens' ? 'gray' : undefined}
          aria-label={`State: ${stateNames[state]}`}
          title={`State: ${stateNames[state]}`}
        >
          <Icon name="state" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {states.map((one) => (
          <Menu.Item
            key={one}
            onClick={() => setState(one)}
            rightSection={one === state ? <Icon name="check" size={14} /> : null}
          >
            {stateNames[one]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
