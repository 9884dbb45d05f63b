import { useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Notice } from '../../components/ui/notice.tsx'
import { PageHead } from '../../components/ui/page-head.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import { EmptyState, NoMatch, QueryView } from '../../components/ui/states.tsx'
import { lazyPart } from '../../lib/lazy-part.ts'
import { useSession } from '../../lib/session.ts'
import { truncatedQuery, type UsageRow, usageQuery } from './api.ts'
import { chooseMetric, filterUsage, groupUsage } from './group-usage.ts'
import { PERIODS, toLabelQuery, type UsageSearch } from './search.ts'
import * as styles from './usage.module.css'
import { UsageChart } from './usage-chart.tsx'
import { UsageFigures } from './usage-figures.tsx'
import { UsageFilters } from './usage-filters.tsx'
import { UsageTable } from './usage-table.tsx'
import { useUsageSearch } from './use-usage-search.ts'

const PricePanel = lazyPart(async () => (await import('./price-panel.tsx')).PricePanel)

/** Usage, and for admins the price list. */
export function UsagePage() {
  const { viewer } = useSession()
  const [search, change] = useUsageSearch()
  if (!viewer.isAdmin || search.view !== 'prices') return <Reports search={search} change={change} />
  return (
    <>
      <Head search={search} change={change} />
      <div className={`page stack ${styles.page}`}>
        <Suspense>
          <PricePanel />
        </Suspense>
      </div>
    </>
  )
}

interface PageState {
  readonly search: UsageSearch
  readonly change: (changes: UsageSearch) => void
}

/** The head of the page, with the views that the viewer may open. */
function Head({ search, change, children }: PageState & { readonly children?: ReactNode }) {
  const { t } = useTranslation('usage')
  const { viewer } = useSession()
  return (
    <PageHead title={t('title')}>
      {viewer.isAdmin && (
        <Segmented
          small
          label={t('view.label')}
          value={search.view ?? 'usage'}
          options={[
            ['usage', t('view.usage')],
            ['prices', t('view.prices')],
          ]}
          onChange={(view) => change({ view: view === 'prices' ? 'prices' : undefined })}
        />
      )}
      {children}
    </PageHead>
  )
}

/** The viewer's own usage, and for admins everybody's. */
function Reports({ search, change }: PageState) {
  const { t } = useTranslation('usage')
  const { viewer, hasAccounts } = useSession()
  const { period = 'month', group = 'model' } = search
  const isAll = viewer.isAdmin && search.who !== 'own'
  const query = useQuery(usageQuery({ period, isAll, label: toLabelQuery(search) }))
  const truncated = useQuery({ ...truncatedQuery({ period, isAll }), enabled: group === 'key' })
  return (
    <>
      <Head search={search} change={change}>
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
      </Head>
      <div className={`page stack ${styles.page}`}>
        {truncated.data === true && group === 'key' && <Notice tone="warn">{t('truncated')}</Notice>}
        {!hasAccounts && viewer.kind === 'open' && <p className="meta">{t('accountsOff')}</p>}
        <QueryView query={query} lines={8}>
          {(rows) =>
            rows.length === 0 && Object.keys(toLabelQuery(search)).length === 0 ? (
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
  const { period = 'month', group = 'model' } = search
  const isWithoutTag = group === 'tag' && toLabelQuery(search).group_by === undefined
  const shown = isWithoutTag ? [] : filterUsage(rows, search)
  const metric = chooseMetric(rows, search.metric ?? 'tokens')
  const groups = groupUsage(shown, { group, metric })
  return (
    <>
      <UsageFilters rows={rows} groups={groups} search={search} isAll={isAll} onChange={onChange} />
      {isWithoutTag ? (
        <p className="meta">{t('filter.nameTag')}</p>
      ) : shown.length === 0 ? (
        <NoMatch
          onClear={() =>
            onChange({ group: undefined, user: undefined, key: undefined, tag: undefined, endUser: undefined })
          }
        />
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
