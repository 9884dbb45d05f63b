import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/dialog.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { ScrolledTable } from '../../components/ui/scrolled-table.tsx'
import { EmptyState, ErrorBlock, QueryView } from '../../components/ui/states.tsx'
import { type Price, priceQuery, savePrices } from './api.ts'
import { PriceDialog } from './price-dialog.tsx'
import { PRICE_PARTS, toRequest } from './price-list.ts'

type Loaded = Awaited<ReturnType<NonNullable<typeof priceQuery.queryFn>>>

/** The price list, and the models without a price. */
export function PricePanel() {
  const query = useQuery(priceQuery)
  return (
    <QueryView query={query} lines={6}>
      {(loaded) => <PriceList loaded={loaded} />}
    </QueryView>
  )
}

type Edited =
  | { readonly kind: 'add' }
  | { readonly kind: 'edit'; readonly index: number }
  | { readonly kind: 'remove'; readonly index: number }

function PriceList({ loaded: { list, version } }: { readonly loaded: Loaded }) {
  const { t } = useTranslation('usage')
  const [edited, setEdited] = useState<Edited>()
  const prices: readonly Price[] = list.prices.map(({ line: _, ...price }) => price)
  const save = useMutation({
    mutationFn: (next: readonly Price[]) => savePrices(toRequest(list, next), version),
    onSuccess: () => setEdited(undefined),
  })
  const close = () => {
    save.reset()
    setEdited(undefined)
  }
  const removed = edited?.kind === 'remove' ? prices[edited.index] : undefined
  return (
    <>
      {list.problems.length > 0 && (
        <Notice tone="warn">
          <p>{t('prices.problems')}</p>
          <ul>
            {list.problems.map(({ line, key, message }) => (
              <li key={`${line} ${key} ${message}`}>
                {line === undefined ? '' : `${t('prices.line', { line })}: `}
                {key === undefined ? '' : `${key}: `}
                {message}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {list.unpriced.length > 0 && (
        <Notice>{t('prices.unpriced', { names: list.unpriced.join(', '), count: list.unpriced.length })}</Notice>
      )}
      <div className="row wrap">
        <span className="meta">
          {[
            t('prices.about', { currency: list.currency ?? 'USD' }),
            ...Object.entries(list.rates).map(([from, rate]) =>
              t('prices.rate', { from, rate, to: list.currency ?? 'USD' }),
            ),
          ].join(' · ')}
        </span>
        <div className="push">
          <Button small kind="primary" icon="plus" onClick={() => setEdited({ kind: 'add' })}>
            {t('prices.add')}
          </Button>
        </div>
      </div>
      {prices.length === 0 ? (
        <EmptyState icon="chart" title={t('prices.empty')}>
          {t('prices.emptyAbout')}
        </EmptyState>
      ) : (
        <PriceTable prices={prices} onEdit={setEdited} />
      )}
      {(edited?.kind === 'add' || edited?.kind === 'edit') && (
        <PriceDialog
          price={edited.kind === 'edit' ? prices[edited.index] : undefined}
          error={save.error}
          busy={save.isPending}
          onClose={close}
          onSave={(price) =>
            save.mutate(
              edited.kind === 'add' ? [...prices, price] : prices.map((one, at) => (at === edited.index ? price : one)),
            )
          }
        />
      )}
      {removed !== undefined && (
        <ConfirmDialog
          title={t('prices.removeTitle')}
          action={t('prices.remove')}
          busy={save.isPending}
          error={save.isError && <ErrorBlock error={save.error} />}
          onConfirm={() => save.mutate(prices.filter((one) => one !== removed))}
          onClose={close}
        >
          {t('prices.removeAbout', { name: removed.model ?? removed.upstream })}
        </ConfirmDialog>
      )}
    </>
  )
}

function PriceTable({
  prices,
  onEdit,
}: {
  readonly prices: readonly Price[]
  readonly onEdit: (edited: Edited) => void
}) {
  const { t } = useTranslation('usage')
  return (
    <ScrolledTable className="table stacked" label={t('prices.table')}>
      <thead>
        <tr>
          <th scope="col">{t('prices.model')}</th>
          <th scope="col">{t('prices.upstream')}</th>
          <th scope="col">{t('prices.from')}</th>
          <th scope="col">{t('prices.price')}</th>
          <th scope="col">
            <span className="visuallyHidden">{t('prices.edit')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {prices.map((price, index) => (
          <tr key={`${price.model} ${price.upstream} ${price.from}`}>
            <td className="mainCell">{price.model ?? '*'}</td>
            <td className="freeCell">{price.upstream ?? ''}</td>
            <td className="freeCell">{price.from ?? ''}</td>
            <td className="freeCell">
              {PRICE_PARTS.flatMap((part) =>
                price[part] === undefined ? [] : [`${t(`prices.part.${part}`)} ${price[part]}`],
              ).join(' · ')}
              {price.currency === undefined ? '' : ` (${price.currency})`}
            </td>
            <td className="endCell">
              <span className="row">
                <Button small kind="ghost" onClick={() => onEdit({ kind: 'edit', index })}>
                  {t('prices.edit')}
                </Button>
                <Button small kind="ghost" onClick={() => onEdit({ kind: 'remove', index })}>
                  {t('prices.remove')}
                </Button>
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </ScrolledTable>
  )
}
