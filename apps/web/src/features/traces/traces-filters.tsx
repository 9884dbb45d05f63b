import { type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { SearchField, SelectFilter } from '../../components/ui/field.tsx'
import { formatDuration } from '../../lib/format.ts'
import { useSettledText } from '../../lib/use-settled-text.ts'
import { CALL_STATUSES, DURATIONS, REQUEST_STATUSES } from './search.ts'
import type { TracesAddress } from './use-traces-search.ts'

/** The filters of either list. @param rows what is shown, for suggestions */
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
    <search className="fl" aria-label={t('filter.label')}>
      <SearchField
        label={isCalls ? t('filter.searchCalls') : t('filter.searchRequests')}
        value={text}
        onChange={setText}
      />
      <SelectFilter
        label={t('filter.status')}
        value={search.status ?? ''}
        options={[['', t('filter.anyStatus')], ...statuses.map((status) => [status, t(`status.${status}`)] as const)]}
        onChange={({ target }) => change({ status: target.value || undefined })}
      />
      <SuggestingFilter
        label={t('filter.model')}
        value={search.model ?? ''}
        names={listNames(rows, ['model', 'served_model', 'model_name'])}
        onChange={(model) => change({ model: model || undefined })}
      />
      {!isCalls && (
        <SuggestingFilter
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
      {children}
    </search>
  )
}

/** A filter by a whole name, with the names of the list as suggestions. */
function SuggestingFilter({
  label,
  value,
  names,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly names: readonly string[]
  readonly onChange: (value: string) => void
}) {
  const list = useId()
  const [text, setText] = useSettledText(value, onChange)
  return (
    <>
      <input
        className="input filter name"
        aria-label={label}
        placeholder={label}
        list={list}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <datalist id={list}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  )
}

/** The different names in some fields of rows, in order. */
function listNames(rows: readonly object[], fields: readonly string[]): string[] {
  const names = rows.flatMap((row) => fields.map((field) => (row as Record<string, unknown>)[field]))
  return [...new Set(names.filter((name): name is string => typeof name === 'string' && name !== ''))].sort()
}
