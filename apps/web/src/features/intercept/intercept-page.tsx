import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { CodeBlock } from '../../components/ui/code-block.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { PageHead } from '../../components/ui/page-head.tsx'
import { EmptyState, QueryView } from '../../components/ui/states.tsx'
import { Status } from '../../components/ui/status.tsx'
import { formatNumber } from '../../lib/format.ts'
import { type InterceptingProxy, polledMiddlewareQuery } from './api.ts'
import { CertificateCard } from './certificate-card.tsx'
import { HostTable } from './host-table.tsx'
import { isLoopback } from './proxy-address.ts'
import { ProxyEvents } from './proxy-events.tsx'
import { TrustCard } from './trust-card.tsx'

/** The intercepting proxy: its state, its hosts, its certificate and its last events. */
export function InterceptPage() {
  const { t } = useTranslation('intercept')
  const status = useQuery(polledMiddlewareQuery)
  return (
    <>
      <PageHead title={t('title')}>
        <span className="meta notOnPhone">{t('about')}</span>
      </PageHead>
      <div className="page stack">
        <QueryView query={status} lines={6}>
          {({ mitm }) => (
            <>
              <ProxyState proxy={mitm} />
              {mitm.hosts.length > 0 && <HostTable proxy={mitm} />}
              {mitm.ca_available && <CertificateCard />}
              {mitm.ca_available && <TrustCard proxy={mitm} />}
            </>
          )}
        </QueryView>
        <ProxyEvents />
      </div>
    </>
  )
}

function ProxyState({ proxy }: { readonly proxy: InterceptingProxy }) {
  const { t } = useTranslation('intercept')
  const { running, listen_addr: listening, configured_addr: configured, error, counts } = proxy
  if (!running && configured === '' && error === undefined) return <ProxyOff />
  const address = listening || configured
  return (
    <>
      {error !== undefined && (
        <Notice tone="bad">
          <b>{t('notStarted')}</b> {error}
        </Notice>
      )}
      {address !== '' && !isLoopback(address) && <Notice tone="warn">{t('notLoopback', { address })}</Notice>}
      <div className="card">
        <header>
          <h2>{t('state')}</h2>
          <span className="push">
            <Status tone={running ? 'ok' : 'bad'}>{running ? t('running') : t('stopped')}</Status>
          </span>
        </header>
        <dl className="facts cardBody">
          <dt>{t('address')}</dt>
          <dd className="monospace">{address}</dd>
          {counts !== undefined && (
            <>
              <dt>{t('open')}</dt>
              <dd>
                {t('openCounts', {
                  intercepted: formatNumber(counts.intercepted),
                  tunnels: formatNumber(counts.tunnels),
                })}
              </dd>
              <dt>{t('requests')}</dt>
              <dd>
                {t('requestCounts', { requests: formatNumber(counts.requests), blocked: formatNumber(counts.blocked) })}
              </dd>
            </>
          )}
        </dl>
      </div>
    </>
  )
}

function ProxyOff() {
  const { t } = useTranslation('intercept')
  return (
    <>
      <EmptyState
        icon="lock"
        title={t('off')}
        action={
          <Link to="/app/settings/$section" params={{ section: 'filtering-and-interception' }} hash="mitm_listen">
            {t('openSettings')}
          </Link>
        }
      >
        {t('offAbout')}
      </EmptyState>
      <CodeBlock title={t('startWith')} text="svc run --mitm-listen 127.0.0.1:8888" />
    </>
  )
}
