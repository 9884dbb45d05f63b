import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { SelectFilter } from '../../components/ui/field.tsx'
import * as filterRowStyles from '../../components/ui/filter-row.module.css'
import { Filters } from '../../components/ui/filters.tsx'
import { NameFilter } from '../../components/ui/name-filter.tsx'
import { UserFilter } from '../../components/ui/user-filter.tsx'
import { formatNumber } from '../../lib/format.ts'
import type { AuditEvent } from './api.ts'
import { ACTIONS, asksChanges, type EventsSearch, KINDS, LIMITS, ORIGINS, toKind } from './search.ts'

interface FilterParts {
  readonly search: EventsSearch
  readonly rows: readonly AuditEvent[]
  readonly onChange: (changes: EventsSearch) => void
}

const withAny = (any: string, names: readonly (readonly [string, string])[]) => [['', any] as const, ...names]

/** The filters of the list. @param rows shown rows, for suggestions */
export function EventsFilters({ search, rows, onChange, children }: FilterParts & { readonly children: ReactNode }) {
  const { t } = useTranslation('events')
  const { kind, origin, action, limit = 100 } = search
  const ofChanges = asksChanges(search)
  return (
    <search className={filterRowStyles.filterRow} aria-label={t('filter.label')}>
      <Filters
        values={[kind, origin, action, search.pattern, search.change, search.target, search.user, search.correlation]}
      >
        <SelectFilter
          label={t('filter.kind')}
          value={kind ?? ''}
          options={withAny(
            t('filter.anyKind'),
            KINDS.map((name) => [name, t(`kind.${name}`)] as const),
          )}
          onChange={({ target }) => onChange(toKind(KINDS.find((name) => name === target.value)))}
        />
        <SelectFilter
          label={t('filter.origin')}
          value={origin ?? ''}
          options={withAny(
            t('filter.anyOrigin'),
            ORIGINS.map((name) => [name, t(`origin.${name}`)] as const),
          )}
          onChange={({ target }) => onChange({ origin: ORIGINS.find((name) => name === target.value) })}
        />
        {ofChanges ? (
          <ChangeFilters search={search} rows={rows} onChange={onChange} />
        ) : (
          <DecisionFilters search={search} rows={rows} onChange={onChange} />
        )}
        <UserFilter
          label={t('filter.user')}
          value={search.user ?? ''}
          ids={rows.map(({ user_id: user }) => user)}
          onChange={(user) => onChange({ user: user || undefined })}
        />
        <NameFilter
          label={t('filter.correlation')}
          value={search.correlation ?? ''}
          isSearch
          onChange={(correlation) => onChange({ correlation: correlation || undefined })}
        />
        <SelectFilter
          label={t('filter.limit')}
          value={String(limit)}
          options={LIMITS.map(
            (count) => [String(count), t('filter.newest', { count, shown: formatNumber(count) })] as const,
          )}
          onChange={({ target }) => onChange({ limit: target.value === '100' ? undefined : Number(target.value) })}
        />
      </Filters>
      {children}
    </search>
  )
}

/** Filters of the decisions of the filter, the proxy and the limits. */
function DecisionFilters({ search, rows, onChange }: FilterParts) {
  const { t } = useTranslation('events')
  return (
    <>
      <SelectFilter
        label={t('filter.action')}
        value={search.action ?? ''}
        options={withAny(
          t('filter.anyAction'),
          ACTIONS.map((name) => [name, t(`deed.${name}`)] as const),
        )}
        onChange={({ target }) => onChange({ action: ACTIONS.find((name) => name === target.value) })}
      />
      <NameFilter
        label={t('filter.pattern')}
        value={search.pattern ?? ''}
        names={rows.map(({ pattern_id: pattern }) => pattern)}
        onChange={(pattern) => onChange({ pattern: pattern || undefined })}
      />
    </>
  )
}

/** Filters of changes of the server and of accounts. */
function ChangeFilters({ search, rows, onChange }: FilterParts) {
  const { t } = useTranslation('events')
  return (
    <>
      <NameFilter
        label={t('filter.change')}
        value={search.change ?? ''}
        names={rows.map(({ change }) => change)}
        onChange={(change) => onChange({ change: change || undefined })}
      />
      <NameFilter
        label={t('filter.target')}
        value={search.target ?? ''}
        names={rows.map(({ target }) => target)}
        onChange={(target) => onChange({ target: target || undefined })}
      />
    </>
  )
}
