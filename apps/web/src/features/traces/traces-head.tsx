import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { buttonClass } from '../../components/ui/button.tsx'
import * as chipStyles from '../../components/ui/chip.module.css'
import * as fieldStyles from '../../components/ui/field.module.css'
import { SelectFilter } from '../../components/ui/field.tsx'
import * as filterRowStyles from '../../components/ui/filter-row.module.css'
import { PageHead } from '../../components/ui/page-head.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import { notify } from '../../components/ui/toast.ts'
import { createFileStamp, saveFile } from '../../lib/download.ts'
import { exportTraces } from './api.ts'
import { noFilters, RANGES } from './search.ts'
import type { TracesAddress } from './use-traces-search.ts'

const TracesMenu = lazy(async () => ({ default: (await import('./traces-menu.tsx')).TracesMenu }))
const ClearDialog = lazy(async () => ({ default: (await import('./clear-dialog.tsx')).ClearDialog }))

/** Kind, range, Live, export and clear. */
export function TracesHead({
  address,
  isCompact,
  onCompact,
}: {
  readonly address: TracesAddress
  readonly isCompact: boolean
  readonly onCompact: (isCompact: boolean) => void
}) {
  const { t } = useTranslation('traces')
  const { search, change } = address
  const [isClearing, setClearing] = useState(false)
  const ranges = RANGES.map((hours) => [String(hours), t(`range.${hours}`)] as const)
  const chooseRange = (hours: string) =>
    change({ hours: hours === '24' ? undefined : Number(hours), from: undefined, to: undefined })
  const range = String(search.hours ?? 24)

  const save = async () => {
    try {
      const rows = await exportTraces(search)
      const name = `${search.kind === 'backend' ? 'backend-traces' : 'traces'}-${createFileStamp()}.json`
      saveFile(name, JSON.stringify(rows, null, 2), 'application/json')
    } catch (error) {
      notify('error', error instanceof Error ? error.message : String(error))
    }
  }

  return (
    <PageHead title={t('title')}>
      <Segmented
        small
        label={t('kind.label')}
        value={search.kind ?? 'api'}
        options={[
          ['api', t('kind.api')],
          ['backend', t('kind.backend')],
        ]}
        onChange={(kind) => change({ ...noFilters, kind: kind === 'backend' ? kind : undefined })}
      />
      <div className="row push">
        <div className="notOnPhone">
          <Segmented small label={t('range.label')} value={range} options={ranges} onChange={chooseRange} />
        </div>
        <SelectFilter
          className={`${fieldStyles.input} ${fieldStyles.filter} phoneOnly`}
          label={t('range.label')}
          value={range}
          options={ranges}
          onChange={({ target }) => chooseRange(target.value)}
        />
        <button
          type="button"
          className={chipStyles.chip}
          aria-pressed={search.live === true}
          onClick={() => change({ live: search.live === true ? undefined : true, page: search.page, at: search.at })}
        >
          <span className={filterRowStyles.liveDot} />
          {t('live')}
        </button>
        <Suspense fallback={<span className={buttonClass('ghost', 'iconOnly', 'small')} aria-hidden="true" />}>
          <TracesMenu
            isCompact={isCompact}
            onCompact={onCompact}
            onExport={() => void save()}
            onClear={() => setClearing(true)}
          />
        </Suspense>
      </div>
      {isClearing && (
        <Suspense>
          <ClearDialog kind={search.kind} onClose={() => setClearing(false)} />
        </Suspense>
      )}
    </PageHead>
  )
}
