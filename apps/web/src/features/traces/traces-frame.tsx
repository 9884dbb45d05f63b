import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, NoMatch, QueryView } from '../../components/ui/states.tsx'
import { formatNumber } from '../../lib/format.ts'
import type { HeldRows } from '../../lib/held-rows.ts'
import { hasFilters, noFilters } from './search.ts'
import { TracePages } from './trace-pages.tsx'
import { TracesBand } from './traces-band.tsx'
import { TracesFilters } from './traces-filters.tsx'
import { TracesHead } from './traces-head.tsx'
import { TracingOff } from './tracing-off.tsx'
import type { TraceList } from './use-trace-list.ts'
import type { TracesAddress } from './use-traces-search.ts'

/** The page around either list: figures, filters, the list in its states, and what is open beside it. */
export function TracesFrame<Trace extends object>({
  address,
  list,
  table,
  peek,
}: {
  readonly address: TracesAddress
  readonly list: TraceList<Trace>
  readonly table: (held: HeldRows<Trace>) => ReactNode
  readonly peek: ReactNode
}) {
  const { t } = useTranslation('traces')
  const { search, change } = address
  const { query, held, showWaiting } = list
  return (
    <div className={peek ? 'traces is-open' : 'traces'}>
      <div className="tm">
        <TracesHead address={address} />
        <TracesBand address={address} />
        <TracesFilters address={address} rows={held?.rows ?? []}>
          {held !== undefined && (
            <span className="meta push">
              {t('shown', { shown: formatNumber(held.rows.length), total: formatNumber(held.total) })}
            </span>
          )}
        </TracesFilters>
        <TracingOff />
        <div className="fresh" role="status">
          {held !== undefined && held.waiting > 0 && (
            <Button small icon="up" onClick={showWaiting}>
              {t('waiting', { count: held.waiting })}
            </Button>
          )}
        </div>
        <div className={query.isPlaceholderData ? 'list is-old' : 'list'}>
          <QueryView query={query} lines={14}>
            {() =>
              held === undefined || held.rows.length > 0 ? (
                held !== undefined && table(held)
              ) : hasFilters(search) ? (
                <NoMatch onClear={() => change(noFilters)} />
              ) : (
                <EmptyState icon="traces" title={t('empty.title')}>
                  {t('empty.about')}
                </EmptyState>
              )
            }
          </QueryView>
        </div>
        {held !== undefined && <TracePages address={address} total={held.total} shownAt={query.dataUpdatedAt} />}
      </div>
      {peek}
    </div>
  )
}
