import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Chart } from '../../components/charts/chart.tsx'
import { type ChartPoint, type ChartSeries, chooseLook } from '../../components/charts/chart-data.ts'
import { formatNumber } from '../../lib/format.ts'
import { formatCost } from '../../lib/format-costs.ts'
import type { UsageRow } from './api.ts'
import { listBuckets, shortenBucket } from './buckets.ts'
import { DRAWN_GROUPS, listCurrencies, type UsageGroup } from './group-usage.ts'
import type { Group, Metric, Period } from './search.ts'
import { useGroupName } from './use-group-name.ts'

/** The usage over time, stacked by group. Buckets without usage are 0. */
export function UsageChart({
  rows,
  groups,
  period,
  group,
  metric,
}: {
  readonly rows: readonly UsageRow[]
  readonly groups: readonly UsageGroup[]
  readonly period: Period
  readonly group: Group
  readonly metric: Metric
}) {
  const { t } = useTranslation('usage')
  const toName = useGroupName(group)
  const key = JSON.stringify([period, group, metric, groups.map(({ id, byBucket }) => [id, ...byBucket])])
  const currency = metric === 'cost' ? listCurrencies(rows)[0] : undefined
  const { points, series } = useMemo(() => {
    const buckets = listBuckets(period, [...new Set(rows.map(({ bucket }) => bucket))])
    const points = buckets.map((bucket): ChartPoint => ({ tick: shortenBucket(bucket), name: t('bucket', { bucket }) }))
    const draw = (name: string, id: string, parts: readonly UsageGroup[], index: number): ChartSeries => ({
      id,
      label: name,
      ...chooseLook(index),
      values: buckets.map((bucket) => parts.reduce((total, { byBucket }) => total + (byBucket.get(bucket) ?? 0), 0)),
    })
    const rest = groups.slice(DRAWN_GROUPS)
    const series = groups.slice(0, DRAWN_GROUPS).map((one, index) => draw(toName(one), one.id, [one], index))
    if (rest.length > 0) series.push(draw(t('others', { count: rest.length }), ' rest', rest, DRAWN_GROUPS))
    return { points, series }
  }, [key, t])
  return (
    <Chart
      caption={t('chart', { metric: t(`metric.${metric}`), group: t(`group.${group}`), period: t(`period.${period}`) })}
      points={points}
      series={series}
      height={220}
      formatValue={currency === undefined ? formatNumber : (value) => formatCost(value * 1_000_000, currency)}
    >
      <span className="meta">{t('utc')}</span>
    </Chart>
  )
}
