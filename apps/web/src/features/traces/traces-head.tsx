import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { SelectFilter } from '../../components/ui/field.tsx'
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
export function TracesHead({ address }: { readonly address: TracesAddress }) {
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
        <div className="hide-s">
          <Segmented small label={t('range.label')} value={range} options={ranges} onChange={chooseRange} />
        </div>
        <SelectFilter
          className="input filter only-s"
          label={t('range.label')}
          value={range}
          options={ranges}
          onChange={({ target }) => chooseRange(target.value)}
        />
        <button
          type="button"
          className="chip"
          aria-pressed={search.live === true}
          onClick={() => change({ live: search.live === true ? undefined : true, page: search.page, at: search.at })}
        >
          <span className="lv" />
          {t('live')}
        </button>
        <Suspense fallback={<span className="btn ghost icon sm" aria-hidden="true" />}>
          <TracesMenu onExport={() => void save()} onClear={() => setClearing(true)} />
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
