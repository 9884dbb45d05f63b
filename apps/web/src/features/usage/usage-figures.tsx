import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { formatCosts } from '../../lib/format-costs.ts'
import { addCosts, listMedia, type UsageGroup } from './group-usage.ts'
import * as styles from './usage.module.css'

/** The sums of the shown usage. */
export function UsageFigures({ groups }: { readonly groups: readonly UsageGroup[] }) {
  const { t } = useTranslation('usage')
  const add = (read: (group: UsageGroup) => number) => groups.reduce((total, group) => total + read(group), 0)
  const details = [
    ['cached', add(({ cachedTokens }) => cachedTokens)],
    ['reasoning', add(({ reasoningTokens }) => reasoningTokens)],
    ['estimated', add(({ estimatedTokens }) => estimatedTokens)],
  ] as const
  const figures = [
    ['requests', add(({ requests }) => requests)],
    ['total', add(({ totalTokens }) => totalTokens)],
    ['prompt', add(({ promptTokens }) => promptTokens)],
    ['completion', add(({ completionTokens }) => completionTokens)],
    ...details.filter(([, value]) => value > 0),
    ...listMedia(groups).map((name) => [name, add((one) => one[name])] as const),
  ] as const
  const costs = addCosts(groups)
  const unpriced = add(({ unpricedRequests }) => unpricedRequests)
  return (
    <dl className={styles.figures}>
      {figures.map(([name, value]) => (
        <div key={name} className="figure">
          <dt>{t(`column.${name}`)}</dt>
          <dd>{formatNumber(value, 1)}</dd>
        </div>
      ))}
      {(costs.size > 0 || unpriced > 0) && (
        <div className="figure">
          <dt>{t('column.cost')}</dt>
          <dd>{formatCosts(costs, t('cost.unknown'))}</dd>
        </div>
      )}
      {unpriced > 0 && (
        <div className="figure">
          <dt>{t('column.unpriced')}</dt>
          <dd>{formatNumber(unpriced)}</dd>
        </div>
      )}
    </dl>
  )
}
