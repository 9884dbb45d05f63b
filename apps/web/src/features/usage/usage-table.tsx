import { useTranslation } from 'react-i18next'
import * as progressBarStyles from '../../components/ui/progress-bar.module.css'
import { ScrolledTable } from '../../components/ui/scrolled-table.tsx'
import { formatNumber, formatPercent } from '../../lib/format.ts'
import { formatCosts } from '../../lib/format-costs.ts'
import { addCosts, listMedia, type UsageGroup } from './group-usage.ts'
import type { Group, Metric } from './search.ts'
import * as styles from './usage.module.css'
import { useGroupName } from './use-group-name.ts'

/** The sums of each group with its share. */
export function UsageTable({
  groups,
  group,
  metric,
}: {
  readonly groups: readonly UsageGroup[]
  readonly group: Group
  readonly metric: Metric
}) {
  const { t } = useTranslation('usage')
  const toName = useGroupName(group)
  const media = listMedia(groups)
  const hasCosts = addCosts(groups).size > 0 || groups.some(({ unpricedRequests }) => unpricedRequests > 0)
  const numbers = [
    'requests',
    'prompt',
    'completion',
    'total',
    ...media,
    ...(hasCosts ? (['cost'] as const) : []),
  ] as const
  return (
    <ScrolledTable className="table stacked" label={t('table', { group: t(`group.${group}`) })}>
      <thead>
        <tr>
          <th scope="col">{t(`group.${group}`)}</th>
          {numbers.map((name) => (
            <th key={name} scope="col" className="number">
              {t(`column.${name}`)}
            </th>
          ))}
          <th scope="col" className="number">
            {t('column.share', { metric: t(`metric.${metric}`) })}
          </th>
        </tr>
      </thead>
      <tbody>
        {groups.map((one) => (
          <tr key={one.id}>
            <td className="mainCell">
              <span className={`clip ${styles.name}`} title={one.id}>
                {toName(one)}
              </span>
            </td>
            <Figure name={t('column.requests')} value={one.requests} />
            <Figure name={t('column.prompt')} value={one.promptTokens} />
            <Figure name={t('column.completion')} value={one.completionTokens} />
            <Figure name={t('column.total')} value={one.totalTokens} isEstimated={one.estimatedTokens > 0} />
            {media.map((name) => (
              <Figure key={name} name={t(`column.${name}`)} value={one[name]} />
            ))}
            {hasCosts && (
              <td className="number freeCell minorCell">
                <span className={`${styles.label} faint`}>{t('column.cost')}</span>
                {formatCosts(one.costs, t('cost.unknown'))}
                {one.costs.size > 0 && one.unpricedRequests > 0 && ` + ${t('cost.unknown')}`}
              </td>
            )}
            <td className={`freeCell endCell ${styles.share}`}>
              <span className="duration">
                <span className={`${progressBarStyles.bar} ${styles.shareBar}`}>
                  <i className={progressBarStyles.colour1} style={{ width: `${Math.round(one.share * 100)}%` }} />
                </span>
                <span className="number">{formatPercent(one.share, 1)}</span>
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </ScrolledTable>
  )
}

function Figure({
  name,
  value,
  isEstimated = false,
}: {
  readonly name: string
  readonly value: number
  readonly isEstimated?: boolean
}) {
  const { t } = useTranslation('usage')
  const figure = formatNumber(value, 1)
  return (
    <td className="number freeCell minorCell">
      <span className={`${styles.label} faint`}>{name}</span>
      {isEstimated ? t('estimated.figure', { figure }) : figure}
    </td>
  )
}
