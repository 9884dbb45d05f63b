import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Chart } from '../../components/charts/chart.tsx'
import type { ChartPoint, ChartSeries } from '../../components/charts/chart-data.ts'
import { Icon } from '../../components/ui/icon.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { formatClock, formatDuration, formatNumber, formatPercent } from '../../lib/format.ts'
import { summaryQuery } from './api.ts'
import { HOUR_MS, reachesOtherDay } from './list-query.ts'
import * as styles from './traces.module.css'
import type { TracesAddress } from './use-traces-search.ts'

/** Figures and chart of the range, in one band. A bar narrows the range. */
export function TracesBand({ address: { search, change } }: { readonly address: TracesAddress }) {
  const { t } = useTranslation('traces')
  const { hours = 24, from, to } = search
  const query = useQuery(summaryQuery(search))
  const summary = query.data
  const size = (hours * HOUR_MS) / 12
  const isLong = reachesOtherDay(hours)
  const { points, series } = useMemo(() => {
    const buckets = summary?.buckets ?? []
    const points = buckets.map(({ start }): ChartPoint => {
      const begin = Date.parse(start)
      return {
        // ticks are close together, and the name of a bar has its day
        tick: formatClock(begin, { day: hours > 24, seconds: false }),
        name: t('chart.bucket', {
          from: formatClock(begin, { day: true, seconds: false }),
          to: formatClock(begin + size, { seconds: false }),
        }),
      }
    })
    const series: ChartSeries[] = [
      {
        id: 'answered',
        label: t('chart.answered'),
        colour: 'c1',
        values: buckets.map(({ count, errors }) => count - errors),
      },
      {
        id: 'failed',
        label: t('chart.failed'),
        colour: 'danger',
        pattern: 'rising',
        values: buckets.map(({ errors }) => errors),
      },
    ]
    return { points, series }
  }, [summary, hours, size, t])

  if (summary === undefined && query.isError)
    return (
      <div className={styles.summary}>
        <ErrorBlock error={query.error} onRetry={() => void query.refetch()} />
      </div>
    )
  const pick = (index: number) => {
    const start = Date.parse(summary?.buckets[index]?.start ?? '')
    if (Number.isFinite(start)) change({ from: start, to: Math.round(start + size) })
  }
  const { total = 0, errors = 0, p95_ms: p95 = 0 } = summary ?? {}
  const isThere = summary !== undefined
  return (
    <div className={styles.summary}>
      <dl>
        <Figure name={t('figure.requests')} value={isThere ? formatNumber(total) : ''} />
        <Figure
          name={t('figure.errorRate')}
          value={isThere && total > 0 ? formatPercent(errors / total, 2) : isThere ? t('figure.none') : ''}
          about={isThere ? t('figure.errors', { count: errors }) : ''}
        />
        <Figure
          name={t('figure.p95')}
          value={isThere && total > 0 ? formatDuration(p95) : isThere ? t('figure.none') : ''}
          about={t('figure.nearestRank')}
        />
      </dl>
      <Chart
        caption={t('chart.caption', {
          range: t(`range.${hours}`),
          total: formatNumber(total),
          errors: formatNumber(errors),
        })}
        points={points}
        series={series}
        height={78}
        onPick={pick}
        pickHint={t('chart.pick')}
      >
        {from !== undefined && to !== undefined && (
          <button
            type="button"
            className={`${styles.narrowed} meta`}
            onClick={() => change({ from: undefined, to: undefined })}
          >
            {t('chart.narrowed', {
              from: formatClock(from, { day: isLong, seconds: false }),
              to: formatClock(to, { seconds: false }),
            })}
            <Icon name="x" small />
            <span className="visuallyHidden">{t('chart.widen')}</span>
          </button>
        )}
      </Chart>
    </div>
  )
}

function Figure({ name, value, about }: { readonly name: string; readonly value: string; readonly about?: string }) {
  return (
    <div className="figure">
      <dt>{name}</dt>
      <dd>{value || '\u00a0'}</dd>
      {about !== undefined && <dd className="meta">{about}</dd>}
    </div>
  )
}
