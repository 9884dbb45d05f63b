import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Chart } from '../../components/charts/chart.tsx'
import type { ChartPoint, ChartSeries } from '../../components/charts/chart-data.ts'
import { formatBytes, formatClock, formatNumber, formatPercent } from '../../lib/format.ts'
import type { Resources } from '../../lib/server-state.ts'
import { type Gauge, listGauges } from './figures.ts'
import * as styles from './monitor.module.css'
import { SampleHistory, SLOT_MS, SLOTS } from './sample-history.ts'

/** Outlives the page, so that the samples stay when the viewer leaves and comes back. */
const history = new SampleHistory()

/** From this level on, colour and word show that a device is full, in percent. */
const FULL = 90

/** Levels of the host with their last five minutes. @param at when they were read */
export function Gauges({ resources, at }: { readonly resources: Resources; readonly at: number }) {
  const { t } = useTranslation('monitor')
  const gauges = listGauges(resources)
  for (const { id, percent } of gauges) history.add(id, at, percent)
  const points = useMemo(
    () =>
      Array.from({ length: SLOTS }, (_, slot): ChartPoint => {
        const time = formatClock(at - (SLOTS - 1 - slot) * SLOT_MS)
        return { tick: time, name: time }
      }),
    [at],
  )
  const { cpu, gpus } = resources
  return (
    <>
      <div className={styles.gauges}>
        {gauges.map((gauge) => (
          <GaugeCard key={gauge.id} gauge={gauge} at={at} points={points}>
            {gauge.id === 'cpu'
              ? t('cpu.about', { count: cpu.logical_cores, load: formatNumber(cpu.load_1, 2) })
              : gauge.used === undefined || gauge.total === undefined
                ? t('unknown')
                : t('usedOfTotal', { used: formatBytes(gauge.used), total: formatBytes(gauge.total) })}
          </GaugeCard>
        ))}
      </div>
      {gpus.length === 0 && <p className="meta">{t('noGpu')}</p>}
    </>
  )
}

function GaugeCard({
  gauge: { id, name, percent, hasHistory },
  at,
  points,
  children,
}: {
  readonly gauge: Gauge
  readonly at: number
  readonly points: readonly ChartPoint[]
  readonly children: string
}) {
  const { t } = useTranslation('monitor')
  const title = name === undefined ? t(`gauge.${id}`) : t('gauge.gpu', { name })
  const isFull = percent !== undefined && percent >= FULL && id !== 'cpu'
  const series = useMemo(
    (): readonly ChartSeries[] => [
      { id, label: title, values: history.read(id, at), colour: isFull ? 'danger' : 'c1' },
    ],
    [id, title, at, isFull],
  )
  return (
    <div className={`card ${styles.gauge}`}>
      <dl className="figure">
        <dt>{title}</dt>
        <dd className={isFull ? styles.full : ''}>
          {percent !== undefined ? formatPercent(percent / 100, 1) : id === 'cpu' ? t('measuring') : t('unknown')}
          {isFull && <small>{t('nearlyFull')}</small>}
        </dd>
        <dd className="meta">{children}</dd>
      </dl>
      {hasHistory && (
        <Chart
          caption={t('history', { name: title })}
          kind="lines"
          points={points}
          series={series}
          height={56}
          max={100}
          isBare
          formatValue={(value) => formatPercent(value / 100, 1)}
        />
      )}
    </div>
  )
}
