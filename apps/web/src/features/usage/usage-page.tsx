import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Notice } from '../../components/ui/notice.tsx'
import { PageHead } from '../../components/ui/page-head.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import { EmptyState, NoMatch, QueryView } from '../../components/ui/states.tsx'
import { useSession } from '../../lib/session.ts'
import { truncatedQuery, type UsageRow, usageQuery } from './api.ts'
import { filterUsage, groupUsage } from './group-usage.ts'
import { PERIODS, type UsageSearch } from './search.ts'
import * as styles from './usage.module.css'
import { UsageChart } from './usage-chart.tsx'
import { UsageFigures } from './usage-figures.tsx'
import { UsageFilters } from './usage-filters.tsx'
import { UsageTable } from './usage-table.tsx'
import { useUsageSearch } from './use-usage-search.ts'

/** The viewer's own usage, and for admins everybody's. */
export function UsagePage() {
  const { t } = useTranslation('usage')
  const { viewer, hasAccounts } = useSession()
  const [search, change] = useUsageSearch()
  const { period = 'month', group = 'model' } = search
  const isAll = viewer.isAdmin && search.who !== 'own'
  const query = useQuery(usageQuery({ period, isAll }))
  const truncated = useQuery({ ...truncatedQuery({ period, isAll }), enabled: group === 'key' })
  return (
    <>
      <PageHead title={t('title')}>
        {viewer.isAdmin && hasAccounts && (
          <Segmented
            small
            label={t('who.label')}
            value={isAll ? 'all' : 'own'}
            options={[
              ['all', t('who.all')],
              ['own', t('who.own')],
            ]}
            onChange={(who) => change({ who: who === 'own' ? 'own' : undefined, user: undefined, key: undefined })}
          />
        )}
        <div className="push">
          <Segmented
            small
            label={t('period.label')}
            value={period}
            options={PERIODS.map((name) => [name, t(`period.${name}`)] as const)}
            onChange={(name) => change({ period: name === 'month' ? undefined : name })}
          />
        </div>
      </PageHead>
      <div className={`page stack ${styles.page}`}>
        {truncated.data === true && group === 'key' && <Notice tone="warn">{t('truncated')}</Notice>}
        {!hasAccounts && viewer.kind === 'open' && <p className="meta">{t('accountsOff')}</p>}
        <QueryView query={query} lines={8}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState icon="chart" title={t('empty.title')}>
                {t('empty.about')}
              </EmptyState>
            ) : (
              <Report rows={rows} search={search} isAll={isAll} onChange={change} />
            )
          }
        </QueryView>
      </div>
    </>
  )
}

function Report({
  rows,
  search,
  isAll,
  onChange,
}: {
  readonly rows: readonly UsageRow[]
  readonly search: UsageSearch
  readonly isAll: boolean
  readonly onChange: (changes: UsageSearch) => void
}) {
  const { t } = useTranslation('usage')
  const { period = 'month', group = 'model', metric = 'tokens' } = search
  const shown = filterUsage(rows, search)
  const groups = groupUsage(shown, { group, metric })
  return (
    <>
      <UsageFilters rows={rows} groups={groups} search={search} isAll={isAll} onChange={onChange} />
      {shown.length === 0 ? (
        <NoMatch onClear={() => onChange({ user: undefined, key: undefined })} />
      ) : (
        <>
          <UsageFigures groups={groups} />
          <UsageChart rows={shown} groups={groups} period={period} group={group} metric={metric} />
          <UsageTable groups={groups} group={group} metric={metric} />
          {groups.some(({ estimatedTokens }) => estimatedTokens > 0) && <p className="meta">{t('estimated.about')}</p>}
        </>
      )}
    </>
  )
}
