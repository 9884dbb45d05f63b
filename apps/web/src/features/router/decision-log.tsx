import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../components/ui/button.tsx'
import { SelectFilter, Switch } from '../../components/ui/field.tsx'
import { Filters } from '../../components/ui/filters.tsx'
import { NameFilter } from '../../components/ui/name-filter.tsx'
import { EmptyState, NoMatch, QueryView } from '../../components/ui/states.tsx'
import { Badge } from '../../components/ui/status.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { UserFilter } from '../../components/ui/user-filter.tsx'
import { formatDuration, formatNumber } from '../../lib/format.ts'
import { type Decision, decisionsQuery, KEPT_DECISIONS, SHOWN_DECISIONS } from './api.ts'
import { CHOSEN } from './chosen.ts'
import { DecisionView } from './decision-view.tsx'
import * as styles from './router.module.css'
import { type DecisionSearch, REASONS } from './search.ts'

const NO_FILTERS = { user: undefined, correlation: undefined, reason: undefined }

/** Decisions of routers. @param routers names to filter by; undefined where one router is shown */
export function DecisionLog({
  search,
  routers,
  onChange,
}: {
  readonly search: DecisionSearch
  readonly routers: readonly string[] | undefined
  readonly onChange: (changes: DecisionSearch) => void
}) {
  const { t } = useTranslation('router')
  const decisions = useQuery(decisionsQuery(search))
  const { router, user, correlation, reason } = search
  const isFiltered = [routers === undefined ? undefined : router, user, correlation, reason].some(Boolean)
  return (
    <section className="card" aria-labelledby="router-log">
      <header className="row wrap">
        <h2 id="router-log">{t('decisions')}</h2>
        <span className="meta">
          {t('kept', { kept: formatNumber(KEPT_DECISIONS), shown: formatNumber(SHOWN_DECISIONS) })}
        </span>
        <span className="push">
          <Switch
            label={t('live')}
            checked={search.live === true}
            onChange={({ target }) => onChange({ live: target.checked ? true : undefined })}
          />
        </span>
      </header>
      <div className={`row wrap ${styles.filters}`}>
        <Filters values={[routers === undefined ? undefined : router, reason, user, correlation]}>
          {routers !== undefined && (
            <SelectFilter
              label={t('router')}
              value={router ?? ''}
              options={[['', t('everyRouter')], ...routers.map((name) => [name, name] as const)]}
              onChange={({ target }) => onChange({ router: target.value || undefined })}
            />
          )}
          <SelectFilter
            label={t('reasonHead')}
            value={reason ?? ''}
            options={[['', t('everyReason')], ...REASONS.map((known) => [known, t(`reasonShort.${known}`)] as const)]}
            onChange={({ target }) => onChange({ reason: REASONS.find((known) => known === target.value) })}
          />
          <UserFilter
            label={t('user')}
            value={user ?? ''}
            ids={decisions.data?.map(({ user_id: id }) => id) ?? []}
            onChange={(value) => onChange({ user: value || undefined })}
          />
          <NameFilter
            label={t('correlation')}
            value={correlation ?? ''}
            onChange={(value) => onChange({ correlation: value || undefined })}
          />
        </Filters>
      </div>
      <QueryView query={decisions} lines={6}>
        {(all) => {
          const rows = all.filter((decision) => reason === undefined || decision.reason === reason)
          if (rows.length > 0) return <DecisionTable rows={rows} open={search.decision} onChange={onChange} />
          return isFiltered ? (
            <NoMatch
              onClear={() => onChange({ ...NO_FILTERS, ...(routers === undefined ? {} : { router: undefined }) })}
            />
          ) : (
            <EmptyState icon="route" title={t('noDecisions')}>
              {t('noDecisionsAbout')}
            </EmptyState>
          )
        }}
      </QueryView>
    </section>
  )
}

function DecisionTable({
  rows,
  open,
  onChange,
}: {
  readonly rows: readonly Decision[]
  readonly open: string | undefined
  readonly onChange: (changes: DecisionSearch) => void
}) {
  const { t } = useTranslation('router')
  return (
    <table className="table stacked">
      <thead>
        <tr>
          <th scope="col">{t('time')}</th>
          <th scope="col">{t('router')}</th>
          <th scope="col">{t('served')}</th>
          <th scope="col">{t('label')}</th>
          <th scope="col" className="number">
            {t('score')}
          </th>
          <th scope="col" className="number">
            {t('took')}
          </th>
          <th scope="col">{t('trace')}</th>
          <th scope="col">
            <span className="visuallyHidden">{t('details')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((decision) => (
          <Fragment key={decision.id}>
            <DecisionRow decision={decision} isOpen={decision.id === open} onChange={onChange} />
            {decision.id === open && (
              <tr>
                <td colSpan={8} className={`freeCell ${styles.detail}`}>
                  <DecisionView
                    decision={{
                      ...decision,
                      labels: decision.label === 'fallback' ? [] : decision.label.split(','),
                      served: decision.served_model,
                    }}
                  />
                </td>
              </tr>
            )}
          </Fragment>
        ))}
      </tbody>
    </table>
  )
}

function DecisionRow({
  decision,
  isOpen,
  onChange,
}: {
  readonly decision: Decision
  readonly isOpen: boolean
  readonly onChange: (changes: DecisionSearch) => void
}) {
  const { t } = useTranslation('router')
  const { id, created_at: time, router_model: router, served_model: served, label, reason, rules, cached } = decision
  return (
    <tr aria-selected={isOpen || undefined}>
      <td className="minorCell">
        <RelativeTime time={time} />
      </td>
      <td className="minorCell">{router}</td>
      <td className="mainCell">{served}</td>
      <td className="minorCell freeCell">
        {label}{' '}
        {reason !== 'covered' && (
          <Badge tone={CHOSEN.has(reason) ? 'acc' : 'warn'}>
            {reason === 'rule' ? (rules?.at(-1)?.name ?? t('reasonShort.rule')) : t(`reasonShort.${reason}`)}
          </Badge>
        )}{' '}
        {cached && <Badge tone="acc">{t('cacheHit')}</Badge>}
      </td>
      <td className="minorCell number">{formatNumber(decision.score, 3)}</td>
      <td className="minorCell number">{formatDuration(decision.latency_ms)}</td>
      <td className="minorCell">
        {decision.correlation_id !== '' && (
          <Link to="/app/traces" search={{ q: decision.correlation_id }} title={decision.correlation_id}>
            {t('openTrace')}
          </Link>
        )}
      </td>
      <td className="endCell">
        <IconButton
          small
          icon={isOpen ? 'up' : 'chevron-down'}
          label={t('showDetails', { model: served })}
          aria-expanded={isOpen}
          onClick={() => onChange({ decision: isOpen ? undefined : id })}
        />
      </td>
    </tr>
  )
}
