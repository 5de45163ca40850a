import { Select, TextInput } from '@mantine/core';
import type { Template } from './templates';

export type Provider = 'APP' | 'REVENUECAT' | 'SUPERWALL' | 'STRIPE';

/** Where the products of a template are bought: all at one place, each by its own reference there. */
export type Sale = { provider: Provider; references: Readonly<Record<string, string>> };

const providers: readonly { value: Provider; label: string; reference: string }[] = [
  { value: 'APP', label: 'My app’s own code', reference: '' },
  { value: 'REVENUECAT', label: 'RevenueCat', reference: 'offering' },
  { value: 'SUPERWALL', label: 'Superwall', reference: 'placement' },
  { value: 'STRIPE', label: 'Stripe, on the web', reference: 'payment link' },
];

type Props = Pick<Template, 'products'> & { sale: Sale; setSale: (sale: Sale) => void };

/** Asks where the products are bought. Prices are asked for nowhere: the store has them. */
export function TemplateProducts({ products, sale, setSale }: Props) {
  const { reference } = providers.find(({ value }) => value === sale.provider)!;
  return (
    <>
      <Select
        label="Who sells it"
        description="Prices come from the store, not from texts."
        value={sale.provider}
        allowDeselect={false}
        onChange={(value) => setSale({ ...sale, provider: (value as Provider | null) ?? sale.provider })}
        data={providers.map(({ value, label }) => ({ value, label }))}
      />
      {reference &&
        products.map(({ key, name }) => (
          <TextInput
            key={key}
            label={`${name}: ${reference}`}
            value={sale.references[key] ?? ''}
            onChange={(event) =>
              setSale({ ...sale, references: { ...sale.references, [key]: event.currentTarget.value } })
            }
          />
        ))}
    </>
  );
}

/** What the server is told of the sale. */
export const productsOf = ({ products }: Pick<Template, 'products'>, { provider, references }: Sale) =>
  products.map(({ key }) => ({ key, provider, reference: references[key] ?? '' }));
