import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, NoMatch, QueryView } from '../../components/ui/states.tsx'
import { formatNumber } from '../../lib/format.ts'
import type { HeldRows } from '../../lib/held-rows.ts'
import { chooseCompactRows, readCompactRows } from '../../lib/preferences.ts'
import { hasFilters, noFilters } from './search.ts'
import { TracePages } from './trace-pages.tsx'
import type { TableLook } from './trace-table.tsx'
import * as styles from './traces.module.css'
import { TracesBand } from './traces-band.tsx'
import { TracesFilters } from './traces-filters.tsx'
import { TracesHead } from './traces-head.tsx'
import { TracingOff } from './tracing-off.tsx'
import type { TraceList } from './use-trace-list.ts'
import type { TracesAddress } from './use-traces-search.ts'

/** The page around either list: figures, filters, the list in its states, and the trace that is open beside it. */
export function TracesFrame<Trace extends object>({
  address,
  list,
  table,
  peek,
}: {
  readonly address: TracesAddress
  readonly list: TraceList<Trace>
  /** @param foot content below the rows */
  readonly table: (held: HeldRows<Trace>, look: TableLook) => ReactNode
  readonly peek: ReactNode
}) {
  const { t } = useTranslation('traces')
  const { search, change } = address
  const { query, held, showWaiting } = list
  const [isCompact, setCompact] = useState(readCompactRows)
  const chooseRows = (compact: boolean) => {
    chooseCompactRows(compact)
    setCompact(compact)
  }
  return (
    <div className={peek ? `${styles.page} ${styles.isOpen}` : styles.page}>
      <div className={styles.main}>
        <TracesHead address={address} isCompact={isCompact} onCompact={chooseRows} />
        <TracesBand address={address} />
        <TracesFilters address={address} rows={held?.rows ?? []}>
          {held !== undefined && (
            <span className="meta push">
              {t('shown', { shown: formatNumber(held.rows.length), total: formatNumber(held.total) })}
            </span>
          )}
        </TracesFilters>
        <TracingOff />
        <div className={styles.fresh} role="status">
          {held !== undefined && held.waiting > 0 && (
            <Button small icon="up" onClick={showWaiting}>
              {t('waiting', { count: held.waiting })}
            </Button>
          )}
        </div>
        <div className={query.isPlaceholderData ? `${styles.list} ${styles.isOld}` : styles.list}>
          <QueryView query={query} lines={14}>
            {() =>
              held === undefined || held.rows.length > 0 ? (
                held !== undefined &&
                table(held, {
                  isCompact,
                  foot: <TracePages address={address} total={held.total} shownAt={query.dataUpdatedAt} />,
                })
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
      </div>
      {peek}
    </div>
  )
}
