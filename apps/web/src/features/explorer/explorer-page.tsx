import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { buttonClass } from '../../components/ui/button.tsx'
import { Icon } from '../../components/ui/icon.tsx'
import { Instructions } from '../../components/ui/instructions.tsx'
import { PageHead } from '../../components/ui/page-head.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import { Badge, Status } from '../../components/ui/status.tsx'
import { root, toUrl } from '../../lib/base-path.ts'
import { brandingQuery, useInstanceName } from '../../lib/branding.ts'
import { useConnection } from '../../lib/connection.ts'
import { sessionQuery } from '../../lib/session.ts'
import { discoveryQuery, readinessQuery } from './api.ts'
import * as styles from './explorer.module.css'

const route = getRouteApi('/explorer')

/** The public page of the server: its description, its health, and instructions to use it. */
export function ExplorerPage() {
  const { t } = useTranslation('explorer')
  const name = useInstanceName()
  const tagline = useQuery(brandingQuery).data?.instance_tagline ?? ''
  const { topic } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <main className={`${styles.page} stack`} id="main">
      <PageHead title={t('title', { name })}>
        <Health />
        <span className="push" />
        <EntryLink />
      </PageHead>
      <div className="page stack">
        <p className="muted">{tagline === '' ? t('about') : tagline}</p>
        <div className="row wrap">
          <code className={styles.address}>{root.href}</code>
          <a className={buttonClass('small')} href={toUrl('swagger/index.html')}>
            <Icon name="external" small />
            {t('reference')}
          </a>
        </div>
        <Discovery />
        <section className="card" aria-labelledby="explorer-instructions">
          <header>
            <h2 id="explorer-instructions">{t('instructions')}</h2>
          </header>
          <div className="cardBody">
            <Instructions
              topic={topic}
              onTopic={(next) => void navigate({ search: { topic: next }, replace: true, resetScroll: false })}
            />
          </div>
        </section>
      </div>
    </main>
  )
}

/** Link to the sign-in, or to the interface for viewers who are signed in. */
function EntryLink() {
  const { t } = useTranslation('explorer')
  const session = useQuery(sessionQuery).data
  if (session === undefined) return null
  return session.viewer.kind === 'anonymous' ? (
    <a className={buttonClass('primary')} href={toUrl('login')}>
      {t('signIn')}
    </a>
  ) : (
    <Link className={buttonClass('primary')} to="/app">
      {t('open')}
    </Link>
  )
}

function Health() {
  const { t } = useTranslation('explorer')
  const { state } = useConnection()
  const readiness = useQuery({
    ...readinessQuery,
    refetchInterval: ({ state: { data } }) => (data?.kind === 'starting' ? 5_000 : false),
  })
  if (state === 'offline' || readiness.isError) return <Status tone="bad">{t('health.unreachable')}</Status>
  if (readiness.data === undefined) return null
  return readiness.data.kind === 'ready' ? (
    <Status tone="ok">{t('health.ready')}</Status>
  ) : (
    <Status tone="run">
      {t('health.starting')} {readiness.data.reason}
    </Status>
  )
}

function Discovery() {
  const { t } = useTranslation('explorer')
  const discovery = useQuery(discoveryQuery)
  return (
    <section className="card" aria-labelledby="explorer-discovery">
      <header>
        <h2 id="explorer-discovery">{t('discovery.title')}</h2>
        <a className={`push meta ${styles.raw}`} href={toUrl('.well-known/service.json')}>
          {t('discovery.raw')}
        </a>
      </header>
      <div className="cardBody stack">
        <QueryView query={discovery} lines={6}>
          {({ version, capabilities, endpoint_groups: groups }) => (
            <>
              <dl className="facts">
                <dt>{t('discovery.version')}</dt>
                <dd>{version}</dd>
                <dt>{t('discovery.capabilities')}</dt>
                <dd className="row wrap">
                  {Object.entries(capabilities).map(([name, isOn]) => (
                    <Badge key={name} tone={isOn ? 'ok' : ''}>
                      {isOn ? name : t('discovery.without', { name })}
                    </Badge>
                  ))}
                </dd>
              </dl>
              <div className={styles.groups}>
                {Object.entries(groups).map(([group, endpoints]) => (
                  <details key={group}>
                    <summary>
                      {group.replaceAll('_', ' ')} <span className="meta">{Object.keys(endpoints).length}</span>
                    </summary>
                    <dl className={`facts ${styles.endpoints}`}>
                      {Object.entries(endpoints).map(([name, path]) => (
                        <div key={name} className="factRow">
                          <dt>{name.replaceAll('_', ' ')}</dt>
                          <dd>
                            <code>{path}</code>
                          </dd>
                        </div>
                      ))}
                    </dl>
                  </details>
                ))}
              </div>
            </>
          )}
        </QueryView>
      </div>
    </section>
  )
}
