import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { buttonClass } from '../../components/ui/button.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { Badge, Status } from '../../components/ui/status.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'
import { operationsQuery } from '../../lib/operations/operation-queries.ts'
import { systemQuery } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'
import { pendingUsersQuery } from './api.ts'
import * as styles from './home.module.css'
import { PageLink } from './page-link.tsx'

/** Failed operations, models that do not load, and accounts that wait: one line each, with its next step. */
export function Attention() {
  const { t } = useTranslation('home')
  const { hasAccounts } = useSession()
  const { accounts } = useCapabilities()
  const operations = useQuery(operationsQuery)
  // the panels below say why the state of the server cannot be read
  const { failures: loads = [], problems = [] } = useQuery(systemQuery).data ?? {}
  const pending = useQuery({ ...pendingUsersQuery, enabled: accounts && hasAccounts })
  const failed = operations.data?.filter(({ error }) => error !== undefined && error !== '') ?? []
  const waiting = pending.data ?? []
  const count = failed.length + loads.length + (problems.length > 0 ? 1 : 0) + (waiting.length > 0 ? 1 : 0)
  const error = operations.error ?? pending.error
  if (count === 0 && error === null) return null
  return (
    <section className="card">
      <header>
        <h2>{t('attention.title')}</h2>
        {count > 0 && <Badge tone="bad">{count}</Badge>}
      </header>
      {error !== null && <ErrorBlock error={error} />}
      <ul className={styles.rows}>
        {failed.map(({ jobID, name, isDeletion, error: reason }) => (
          <Line
            key={jobID}
            tone="bad"
            state={t('attention.failed')}
            title={t(isDeletion ? 'attention.removal' : 'attention.install', { name })}
            about={reason}
            action={<PageLink to="activity">{t('attention.review')}</PageLink>}
          />
        ))}
        {loads.map(({ model, error: reason, at }) => (
          <Line
            key={model}
            tone="bad"
            state={t('attention.failing')}
            title={t('attention.load', { model })}
            about={
              <>
                <RelativeTime time={at} />
                {reason !== '' && <> · {reason}</>}
              </>
            }
            action={<PageLink to={`backends/logs/${encodeURIComponent(model)}`}>{t('attention.log')}</PageLink>}
          />
        ))}
        {problems.length > 0 && (
          <Line
            tone="bad"
            state={t('attention.failing')}
            title={t('attention.mistakes', { count: problems.length })}
            about={[...new Set(problems.map(({ file }) => file))].slice(0, 3).join(', ')}
            action={
              <Link className={buttonClass('small')} to="/app/models" search={{ view: 'installed' }}>
                {t('attention.review')}
              </Link>
            }
          />
        )}
        {waiting.length > 0 && (
          <Line
            tone="warn"
            state={t('attention.waiting')}
            title={t('attention.accounts', { count: waiting.length })}
            about={waiting
              .slice(0, 3)
              .map(({ email, name }) => email || name)
              .join(', ')}
            action={<PageLink to="users">{t('attention.approve')}</PageLink>}
          />
        )}
      </ul>
    </section>
  )
}

function Line({
  tone,
  state,
  title,
  about,
  action,
}: {
  readonly tone: 'bad' | 'warn'
  readonly state: string
  readonly title: string
  readonly about: ReactNode
  readonly action: ReactNode
}) {
  return (
    <li>
      <Status tone={tone}>
        <span className="visuallyHidden">{state}</span>
      </Status>
      <div className="grow">
        <b>{title}</b>
        <p className="meta">{about}</p>
      </div>
      {action}
    </li>
  )
}
