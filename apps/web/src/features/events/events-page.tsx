import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import * as chipStyles from '../../components/ui/chip.module.css'
import * as filterRowStyles from '../../components/ui/filter-row.module.css'
import { PageHead } from '../../components/ui/page-head.tsx'
import { EmptyState, NoMatch, QueryView } from '../../components/ui/states.tsx'
import { createFileStamp, saveFile } from '../../lib/download.ts'
import { formatNumber } from '../../lib/format.ts'
import { useHeldRows } from '../../lib/held-rows.ts'
import { eventsQuery, RING } from './api.ts'
import { EventTable } from './event-table.tsx'
import * as styles from './events.module.css'
import { EventsFilters } from './events-filters.tsx'
import type { EventsSearch } from './search.ts'

const route = getRouteApi('/app/events')

/** Decisions of the filter, the proxy and the limits. */
export function EventsPage() {
  const { t } = useTranslation('events')
  const search: EventsSearch = route.useSearch()
  const navigate = useNavigate()
  const change = (changes: EventsSearch) =>
    void navigate({ to: '/app/events', search: { ...search, ...changes }, replace: true })
  const { live, limit = 100, ...filters } = search
  const query = useQuery(eventsQuery(search))
  const { held, showWaiting } = useHeldRows(
    JSON.stringify([filters, limit]),
    query.isPlaceholderData ? undefined : query.data,
  )
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  const save = () =>
    saveFile(`events-${createFileStamp()}.json`, JSON.stringify(held?.rows ?? [], null, 2), 'application/json')
  return (
    <div className={styles.page}>
      <PageHead title={t('title')}>
        <div className="row push">
          <button
            type="button"
            className={chipStyles.chip}
            aria-pressed={live === true}
            onClick={() => change({ live: live === true ? undefined : true })}
          >
            <span className={filterRowStyles.liveDot} />
            {t('live')}
          </button>
          <Button small kind="ghost" icon="file" disabled={(held?.rows.length ?? 0) === 0} onClick={save}>
            {t('export')}
          </Button>
        </div>
      </PageHead>
      <EventsFilters search={search} rows={held?.rows ?? []} onChange={change}>
        {held !== undefined && (
          <span className="meta push">
            {t('shown', { count: held.rows.length, shown: formatNumber(held.rows.length) })}
          </span>
        )}
      </EventsFilters>
      <p className={`meta ${styles.kept}`}>{t('ring', { ring: formatNumber(RING) })}</p>
      <div className={styles.fresh} role="status">
        {held !== undefined && held.waiting > 0 && (
          <Button small icon="up" onClick={showWaiting}>
            {t('waiting', { count: held.waiting })}
          </Button>
        )}
      </div>
      <div className={styles.list}>
        <QueryView query={query} lines={12}>
          {() =>
            held === undefined || held.rows.length > 0 ? (
              held !== undefined && <EventTable rows={held.rows} onFilter={change} />
            ) : isFiltered ? (
              <NoMatch
                onClear={() =>
                  change({
                    kind: undefined,
                    origin: undefined,
                    action: undefined,
                    user: undefined,
                    correlation: undefined,
                    pattern: undefined,
                    change: undefined,
                    target: undefined,
                  })
                }
              />
            ) : (
              <EmptyState icon="events" title={t('empty.title')}>
                {t('empty.about')}
              </EmptyState>
            )
          }
        </QueryView>
      </div>
    </div>
  )
}
