import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../components/ui/icon.tsx'
import { EmptyState, QueryView } from '../../components/ui/states.tsx'
import { formatClock, formatDuration, formatNumber, formatPercent, isOtherDay } from '../../lib/format.ts'
import { summaryQuery } from './api.ts'
import * as styles from './home.module.css'
import { PageLink } from './page-link.tsx'
import { toLine } from './to-line.ts'

type Summary = Awaited<ReturnType<NonNullable<typeof summaryQuery.queryFn>>>

/** Requests of the last 24 hours: their number, their failures and their durations. */
export function Requests() {
  const { t } = useTranslation('home')
  const query = useQuery(summaryQuery)
  return (
    <section className="card">
      <header>
        <h2>{t('requests.title')}</h2>
        <PageLink to="traces" isPlain>
          {t('requests.traces')}
          <Icon name="chevron-right" small />
        </PageLink>
      </header>
      <QueryView query={query} lines={4}>
        {(summary) =>
          summary.total === 0 ? (
            <EmptyState icon="traces" title={t('requests.off')}>
              {t('requests.offAbout')}
            </EmptyState>
          ) : (
            <Figures summary={summary} />
          )
        }
      </QueryView>
    </section>
  )
}

function Figures({ summary: { total, errors, p95_ms, buckets, window_hours } }: { readonly summary: Summary }) {
  const { t } = useTranslation('home')
  const counts = buckets.map(({ count }) => count)
  const peak = Math.max(0, ...counts)
  const hours = buckets.length === 0 ? 0 : window_hours / buckets.length
  const label = t('requests.chart', { lowest: Math.min(...counts), highest: peak, last: counts.at(-1) ?? 0, hours })
  return (
    <div className="cardBody">
      <div className={`row ${styles.figures}`}>
        <Figure name={t('requests.total')} value={formatNumber(total)} />
        <Figure name={t('requests.errors')} value={total === 0 ? '-' : formatPercent(errors / total, 2)} />
        <Figure name={t('requests.p95')} value={total === 0 ? '-' : formatDuration(p95_ms)} />
      </div>
      <svg className={styles.sparkline} viewBox="0 0 100 80" preserveAspectRatio="none" role="img" aria-label={label}>
        <path d={`${toLine(counts)} L100 80 L0 80Z`} fill="var(--c1)" opacity=".1" />
        <path d={toLine(counts)} fill="none" stroke="var(--c1)" strokeWidth="1.6" vectorEffect="non-scaling-stroke" />
      </svg>
      <div className={`row meta ${styles.ends}`}>
        <span>
          {buckets[0] && formatClock(buckets[0].start, { day: isOtherDay(buckets[0].start), seconds: false })}
        </span>
        <span>{t('requests.peak', { peak: formatNumber(peak), hours: formatNumber(hours, 1) })}</span>
        <span>{t('requests.now')}</span>
      </div>
    </div>
  )
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="figure">
      <span className="figureName">{name}</span>
      <span className="figureValue">{value}</span>
    </div>
  )
}
