import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { SearchField, SelectFilter } from '../../components/ui/field.tsx'
import * as filterRowStyles from '../../components/ui/filter-row.module.css'
import { Filters } from '../../components/ui/filters.tsx'
import { NameFilter } from '../../components/ui/name-filter.tsx'
import { formatDuration } from '../../lib/format.ts'
import { useSettledText } from '../../lib/use-settled-text.ts'
import { CALL_STATUSES, DURATIONS, REQUEST_STATUSES } from './search.ts'
import type { TracesAddress } from './use-traces-search.ts'

/** The filters of either list. @param rows shown rows, for suggestions */
export function TracesFilters({
  address: { search, change },
  rows,
  children,
}: {
  readonly address: TracesAddress
  readonly rows: readonly object[]
  readonly children: ReactNode
}) {
  const { t } = useTranslation('traces')
  const isCalls = search.kind === 'backend'
  const [text, setText] = useSettledText(search.q ?? '', (q) => change({ q: q || undefined }))
  const statuses: readonly string[] = isCalls ? CALL_STATUSES : REQUEST_STATUSES
  return (
    <search className={filterRowStyles.filterRow} aria-label={t('filter.label')}>
      <SearchField
        label={isCalls ? t('filter.searchCalls') : t('filter.searchRequests')}
        value={text}
        onChange={setText}
      />
      <Filters values={[search.status, search.model, search.user, search.min]}>
        <SelectFilter
          label={t('filter.status')}
          value={search.status ?? ''}
          options={[['', t('filter.anyStatus')], ...statuses.map((status) => [status, t(`status.${status}`)] as const)]}
          onChange={({ target }) => change({ status: target.value || undefined })}
        />
        <NameFilter
          label={t('filter.model')}
          value={search.model ?? ''}
          names={listNames(rows, ['model', 'served_model', 'model_name'])}
          onChange={(model) => change({ model: model || undefined })}
        />
        {!isCalls && (
          <NameFilter
            label={t('filter.user')}
            value={search.user ?? ''}
            names={listNames(rows, ['user_name'])}
            onChange={(user) => change({ user: user || undefined })}
          />
        )}
        <SelectFilter
          label={t('filter.duration')}
          value={String(search.min ?? '')}
          options={[
            ['', t('filter.anyDuration')],
            ...DURATIONS.map((ms) => [String(ms), t('filter.atLeast', { time: formatDuration(ms) })] as const),
          ]}
          onChange={({ target }) => change({ min: target.value === '' ? undefined : Number(target.value) })}
        />
      </Filters>
      {children}
    </search>
  )
}

/** The names in some fields of rows. */
function listNames(rows: readonly object[], fields: readonly string[]): string[] {
  const names = rows.flatMap((row) => fields.map((field) => (row as Record<string, unknown>)[field]))
  return names.filter((name) => typeof name === 'string')
}
