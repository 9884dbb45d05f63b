import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, buttonClass } from '../../components/ui/button.tsx'
import { Icon } from '../../components/ui/icon.tsx'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import * as scrolledTableStyles from '../../components/ui/scrolled-table.module.css'
import { EmptyState } from '../../components/ui/states.tsx'
import { Status } from '../../components/ui/status.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'
import { useConnection } from '../../lib/connection.ts'
import { formatBytes, formatDuration, formatExactTime, formatPercent } from '../../lib/format.ts'
import type { LoadedModel } from '../../lib/server-state.ts'
import { type FigureName, listFigures, type ProcessFigure, readCpu, readVram } from './figures.ts'
import * as styles from './monitor.module.css'

const StopDialog = lazy(async () => ({ default: (await import('./stop-dialog.tsx')).StopDialog }))

/** The loaded models, with their processes. Device memory has no sum: models may share it. */
export function LoadedModels({ models }: { readonly models: readonly LoadedModel[] }) {
  const { t } = useTranslation('monitor')
  const [stopping, setStopping] = useState<string>()
  if (models.length === 0)
    return (
      <EmptyState icon="cube" title={t('models.none')}>
        {t('models.noneAbout')}
      </EmptyState>
    )
  const figures = listFigures(models)
  return (
    <>
      <div className={`card ${styles.cut}`}>
        <ScrollRegion className={scrolledTableStyles.box} aria-label={t('models.title')}>
          <table className={`table stacked ${styles.loaded}`}>
            <thead>
              <tr>
                {(['model', 'backend', 'state'] as const).map((column) => (
                  <th key={column} scope="col">
                    {t(`column.${column}`)}
                  </th>
                ))}
                {figures.map((column) => (
                  <th key={column} scope="col" className="number">
                    {t(`column.${column}`)}
                  </th>
                ))}
                <th scope="col">
                  <span className="visuallyHidden">{t('column.actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {models.map((model) => (
                <ModelRow key={model.id} {...{ model, figures }} onStop={() => setStopping(model.id)} />
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      </div>
      {stopping !== undefined && (
        <Suspense>
          <StopDialog model={stopping} onClose={() => setStopping(undefined)} />
        </Suspense>
      )}
    </>
  )
}

function ModelRow({
  model,
  figures,
  onStop,
}: {
  readonly model: LoadedModel
  readonly figures: readonly FigureName[]
  readonly onStop: () => void
}) {
  const { t } = useTranslation('monitor')
  const { state } = useConnection()
  const { backend_logs: hasLogs } = useCapabilities()
  const { id, backend, process } = model
  const cell = (name: FigureName, value: string, title?: string) =>
    figures.includes(name) && (
      <td className="number freeCell minorCell" title={title}>
        <span className={`${styles.name} faint`}>{t(`column.${name}`)}</span>
        {value}
      </td>
    )
  const word = (figure: ProcessFigure, format: (value: number) => string) =>
    typeof figure === 'number' ? format(figure) : t(figure === 'measuring' ? 'measuring' : 'unknown')
  const formatShare = (percent: number) => formatPercent(percent / 100, 1)
  return (
    <tr>
      <td className="mainCell">
        <span className="clip medium">{id}</span>
      </td>
      <td className="minorCell">
        <span className="clip muted">{backend ?? t('unknown')}</span>
      </td>
      <td className="freeCell endCell">
        <ModelState state={model.state} />
      </td>
      {cell('pid', process === undefined ? t('unknown') : String(process.pid))}
      {cell('rss', process === undefined ? t('unknown') : formatBytes(process.rss_bytes))}
      {cell('memory', process === undefined ? t('unknown') : formatShare(process.memory_percent))}
      {cell('cpu', word(readCpu(model), formatShare))}
      {cell('vram', word(readVram(model), formatBytes))}
      {cell(
        'uptime',
        process === undefined ? t('unknown') : formatDuration(Math.max(0, Date.now() - Date.parse(process.started_at))),
        process === undefined ? undefined : formatExactTime(process.started_at),
      )}
      <td className={`freeCell minorCell ${styles.actions}`}>
        <span className="row">
          {hasLogs && (
            <Link className={buttonClass('ghost', 'small')} to="/app/backends/logs/$model" params={{ model: id }}>
              <Icon name="raw" small />
              {t('logs')}
              <span className="visuallyHidden">{id}</span>
            </Link>
          )}
          <Button small kind="ghost" icon="stop" disabled={state === 'offline'} onClick={onStop}>
            {t('stop.button')}
            <span className="visuallyHidden">{id}</span>
          </Button>
        </span>
      </td>
    </tr>
  )
}

/** The state that the backend reports. */
function ModelState({ state }: { readonly state: LoadedModel['state'] }) {
  const { t } = useTranslation('monitor')
  switch (state) {
    case 2:
      return <Status tone="ok">{t('state.ready')}</Status>
    case 1:
      return <Status tone="run">{t('state.busy')}</Status>
    case 0:
      return <Status>{t('state.starting')}</Status>
    default:
      return <Status tone="warn">{t('state.silent')}</Status>
  }
}
