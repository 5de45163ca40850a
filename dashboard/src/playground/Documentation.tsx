import { Select } from '@mantine/core';
import {
  type GraphQLArgument,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import styles from './PlaygroundPage.module.css';

type Props = { schema: GraphQLSchema; type: string; open: (type: string) => void };

/** A type of the schema with its fields; every type that they name opens by a click. */
export function Documentation({ schema, type, open }: Props) {
  const shown = schema.getType(type);
  const names = Object.keys(schema.getTypeMap()).filter((name) => !name.startsWith('__'));
  const fields =
    isObjectType(shown) || isInterfaceType(shown) || isInputObjectType(shown) ? Object.values(shown.getFields()) : [];
  return (
    <>
      <Select
        label="Type"
        searchable
        limit={80}
        allowDeselect={false}
        value={type}
        onChange={(name) => name && open(name)}
        data={names}
      />
      {shown?.description && <p>{shown.description}</p>}
      <dl className={styles.fields}>
        {fields.map((field) => (
          <div key={field.name}>
            <dt>
              {field.name}
              {'args' in field && <Arguments list={field.args} open={open} />}:{' '}
              <TypeLink text={String(field.type)} name={nameOf(field.type)} open={open} />
            </dt>
            {field.description && <dd>{field.description}</dd>}
          </div>
        ))}
        {isEnumType(shown) &&
          shown.getValues().map(({ name, description }) => (
            <div key={name}>
              <dt>{name}</dt>
              {description && <dd>{description}</dd>}
            </div>
          ))}
      </dl>
    </>
  );
}

const nameOf = (type: GraphQLType): string => getNamedType(type).name;

function Arguments({ list, open }: { list: readonly GraphQLArgument[]; open: (type: string) => void }) {
  if (list.length === 0) return null;
  return (
    <span className={styles.arguments}>
      (
      {list.map(({ name, type }, i) => (
        <span key={name}>
          {i > 0 && ', '}
          {name}: <TypeLink text={String(type)} name={nameOf(type)} open={open} />
        </span>
      ))}
      )
    </span>
  );
}

function TypeLink({ text, name, open }: { text: string; name: string; open: (type: string) => void }) {
  return (
    <button type="button" className={styles.type} onClick={() => open(name)}>
      {text}
    </button>
  );
}
