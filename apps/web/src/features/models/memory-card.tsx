import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import * as chartStyles from '../../components/charts/chart.module.css'
import { SelectFilter } from '../../components/ui/field.tsx'
import * as progressBarStyles from '../../components/ui/progress-bar.module.css'
import { formatBytes, formatNumber } from '../../lib/format.ts'
import { CONTEXTS, estimateQuery, type GalleryModel, type Host, hostQuery } from './api.ts'
import { judgeFit, shareMemory } from './fit.ts'
import { FitStatus } from './gallery-list.tsx'
import * as styles from './models.module.css'

const DEFAULT_CONTEXT = 8192

/** Share of this host's memory that a model takes, for a context that can be chosen. */
export function MemoryCard({ model }: { readonly model: GalleryModel }) {
  const { t } = useTranslation('models')
  const [context, setContext] = useState(DEFAULT_CONTEXT)
  const host = useQuery(hostQuery).data
  const estimate = useQuery(estimateQuery(model.id)).data
  const memoryBytes = estimate?.byContext.get(context) ?? (context === DEFAULT_CONTEXT ? model.memory_bytes : undefined)
  const weightsBytes = estimate?.weightsBytes ?? model.size_bytes
  const max = estimate?.maxContext ?? Number.POSITIVE_INFINITY
  const contexts = CONTEXTS.filter((size) => size <= Math.max(max, DEFAULT_CONTEXT))
  const isKnown = host !== undefined && memoryBytes !== undefined && weightsBytes !== undefined
  const fits = model.fits === undefined || !isKnown ? model.fits : model.fits && memoryBytes <= host.total
  return (
    <section className={styles.fit} aria-label={t('memory.title')}>
      <div className="row">
        <h3>{t('memory.title')}</h3>
        <span className="push">
          <FitStatus fit={judgeFit({ fits, memory_bytes: memoryBytes }, host)} />
        </span>
      </div>
      {isKnown ? (
        <MemoryBar host={host} weightsBytes={weightsBytes} memoryBytes={memoryBytes}>
          {contexts.length > 1 && (
            <span className="push">
              <SelectFilter
                label={t('memory.context')}
                value={context}
                options={contexts.map((size) => [String(size), t('memory.contextOf', { size: formatNumber(size) })])}
                onChange={({ target }) => setContext(Number(target.value))}
              />
            </span>
          )}
        </MemoryBar>
      ) : (
        <p className="meta">{t('memory.unknown')}</p>
      )}
    </section>
  )
}

function MemoryBar({
  host,
  weightsBytes,
  memoryBytes,
  children,
}: {
  readonly host: Host
  readonly weightsBytes: number
  readonly memoryBytes: number
  readonly children: React.ReactNode
}) {
  const { t } = useTranslation('models')
  const { used, weights, rest } = shareMemory(host, { weightsBytes, memoryBytes })
  const spare = host.free - memoryBytes
  return (
    <>
      <div className={`${progressBarStyles.bar} ${progressBarStyles.thick} ${styles.memoryBar}`} aria-hidden="true">
        <i className={progressBarStyles.muted} style={{ width: `${used * 100}%` }} />
        <i className={progressBarStyles.colour1} style={{ width: `${weights * 100}%` }} />
        <i className={progressBarStyles.colour3} style={{ width: `${rest * 100}%` }} />
      </div>
      <div className={`row wrap ${styles.legend}`}>
        <span className={`${chartStyles.legend} ${styles.used}`}>
          {t('memory.used', { bytes: formatBytes(host.total - host.free) })}
        </span>
        <span className={chartStyles.legend}>{t('memory.weights', { bytes: formatBytes(weightsBytes) })}</span>
        <span className={`${chartStyles.legend} ${styles.rest}`}>
          {t('memory.rest', { bytes: formatBytes(Math.max(0, memoryBytes - weightsBytes)) })}
        </span>
        <span className={`${chartStyles.legend} ${styles.free}`}>
          {spare >= 0
            ? t('memory.spare', { bytes: formatBytes(spare) })
            : t('memory.missing', { bytes: formatBytes(-spare) })}
        </span>
        {children}
      </div>
    </>
  )
}
