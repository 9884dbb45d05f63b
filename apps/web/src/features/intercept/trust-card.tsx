import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CodeBlock } from '../../components/ui/code-block.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import { toUrl } from '../../lib/base-path.ts'
import { useSession } from '../../lib/session.ts'
import type { InterceptingProxy } from './api.ts'
import * as styles from './intercept.module.css'
import { formatClientAddress } from './proxy-address.ts'
import { CLIENTS, type Client, writeFetch, writeRemoval, writeTest, writeTrust } from './trust-steps.ts'

/** Steps for clients to trust the certificate, to test that, and to take it back. */
export function TrustCard({ proxy }: { readonly proxy: InterceptingProxy }) {
  const { t } = useTranslation('intercept')
  const [client, setClient] = useState<Client>('shell')
  const { viewer } = useSession()
  const target = {
    proxy: formatClientAddress(proxy.listen_addr || proxy.configured_addr, location.hostname),
    certificateUrl: toUrl('/api/middleware/proxy-ca.crt'),
    needsKey: viewer.kind !== 'open',
    host: (proxy.hosts[0]?.host ?? 'api.openai.com').replaceAll('*', 'NAME'),
  }
  return (
    <div className="card">
      <header>
        <h2>{t('trust')}</h2>
      </header>
      <div className="cardBody stack">
        <p className="muted">{t('trustWarning')}</p>
        <div className={styles.clients}>
          <Segmented
            label={t('client')}
            value={client}
            options={CLIENTS.map((known) => [known, t(`clients.${known}`)] as const)}
            onChange={setClient}
          />
        </div>
        <CodeBlock title={t('step.fetch')} text={writeFetch(target)} />
        {client === 'browser' && <p className="muted">{t('browserSteps')}</p>}
        <CodeBlock title={t('step.trust')} text={writeTrust(client, target)} />
        {client !== 'shell' && <p className="meta">{t('alsoProxy', { proxy: target.proxy })}</p>}
        <CodeBlock title={t('step.test')} text={writeTest(target)} />
        <p className="meta">{t('testAbout')}</p>
        {client === 'browser' && <p className="muted">{t('browserRemoval')}</p>}
        <CodeBlock title={t('step.remove')} text={writeRemoval(client)} />
      </div>
    </div>
  )
}
