import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { Checkbox, SearchField, SelectFilter } from '../../components/ui/field.tsx'
import * as filterRowStyles from '../../components/ui/filter-row.module.css'
import { Filters } from '../../components/ui/filters.tsx'
import { type LogLine, writeLines } from '../../lib/backend-log/log-lines.ts'
import { createFileStamp, saveFile } from '../../lib/download.ts'
import { useSettledText } from '../../lib/use-settled-text.ts'
import { logNamesQuery } from './api.ts'
import { type LogsSearch, STREAMS, TIMES } from './search.ts'

/** Filters, looks, copy and download. */
export function LogTools({
  model,
  search,
  shown,
  isAnnounced,
  onAnnounce,
  onChange,
  children,
}: {
  readonly model: string
  readonly search: LogsSearch
  readonly shown: readonly LogLine[]
  readonly isAnnounced: boolean
  readonly onAnnounce: (isAnnounced: boolean) => void
  readonly onChange: (changes: LogsSearch) => void
  readonly children: ReactNode
}) {
  const { t } = useTranslation('logs')
  const navigate = useNavigate()
  const names = useQuery(logNamesQuery).data ?? []
  const [text, setText] = useSettledText(search.q ?? '', (q) => onChange({ q: q || undefined }))
  const models = [...new Set([model, ...names])].sort()
  const save = () =>
    saveFile(`${model.replaceAll(/[^\w.-]+/g, '-')}-${createFileStamp()}.log`, writeLines(shown), 'text/plain')
  return (
    <search className={filterRowStyles.filterRow} aria-label={t('tools.label')}>
      <SearchField label={t('tools.search')} value={text} onChange={setText} />
      <Filters values={[search.stream, search.time, search.wrap]}>
        <SelectFilter
          label={t('tools.stream')}
          value={search.stream ?? ''}
          options={[['', t('tools.anyStream')], ...STREAMS.map((stream) => [stream, stream] as const)]}
          onChange={({ target }) => onChange({ stream: STREAMS.find((stream) => stream === target.value) })}
        />
        <SelectFilter
          label={t('tools.model')}
          value={model}
          options={models.map((name) => [name, name] as const)}
          onChange={({ target }) =>
            void navigate({
              to: '/app/backends/logs/$model',
              params: { model: target.value },
              search: { ...search, at: undefined },
            })
          }
        />
        <SelectFilter
          label={t('tools.time')}
          value={search.time ?? 'clock'}
          options={TIMES.map((time) => [time, t(`time.${time}`)] as const)}
          onChange={({ target }) => onChange({ time: TIMES.find((time) => time === target.value && time !== 'clock') })}
        />
        <Checkbox
          label={t('tools.wrap')}
          checked={search.wrap === true}
          onChange={({ target }) => onChange({ wrap: target.checked ? true : undefined })}
        />
        <Checkbox
          label={t('tools.announce')}
          checked={isAnnounced}
          onChange={({ target }) => onAnnounce(target.checked)}
        />
      </Filters>
      <CopyButton text={shown.length > 0 ? writeLines(shown) : ''} label={t('tools.copy')} />
      <Button small kind="ghost" icon="activity" disabled={shown.length === 0} onClick={save}>
        {t('tools.download')}
      </Button>
      {children}
    </search>
  )
}
