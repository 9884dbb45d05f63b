import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { PageHead } from '../../components/ui/page-head.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import { Status } from '../../components/ui/status.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { type Peer, peersQuery } from './api.ts'
import * as styles from './nodes.module.css'

/** Other servers that share requests, and workers of the peer-to-peer network. */
export function PeersPage() {
  const { t } = useTranslation('nodes')
  const peers = useQuery(peersQuery)
  return (
    <>
      <PageHead title={t('peers.title')} />
      <div className="page stack">
        <QueryView query={peers} lines={4}>
          {({ federated, workers }) => (
            <>
              <PeerSection
                id="federated"
                title={t('peers.federated')}
                none={t('peers.noFederated')}
                peers={federated}
              />
              <PeerSection id="p2p-workers" title={t('peers.workers')} none={t('peers.noWorkers')} peers={workers} />
            </>
          )}
        </QueryView>
      </div>
    </>
  )
}

function PeerSection({
  id,
  title,
  none,
  peers,
}: {
  readonly id: string
  readonly title: string
  readonly none: string
  readonly peers: readonly Peer[]
}) {
  const { t } = useTranslation('nodes')
  return (
    <section className="stack tight" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {peers.length === 0 ? (
        <p className="muted">{none}</p>
      ) : (
        <div className="card">
          <table className="table stacked">
            <thead>
              <tr>
                <th scope="col">{t('column.node')}</th>
                <th scope="col">{t('column.state')}</th>
                <th scope="col">{t('peers.lastSeen')}</th>
              </tr>
            </thead>
            <tbody>
              {peers.map((peer) => (
                <PeerRow key={peer.id} peer={peer} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function PeerRow({ peer: { name, tunnelAddress, lastSeen, isOnline } }: { readonly peer: Peer }) {
  const { t } = useTranslation('nodes')
  return (
    <tr>
      <td className={`mainCell ${styles.worker}`}>
        <span className="medium">{name}</span>
        <span className="meta">{tunnelAddress}</span>
      </td>
      <td className="freeCell endCell">
        <Status tone={isOnline ? 'ok' : 'neutral'}>{t(isOnline ? 'peers.online' : 'peers.away')}</Status>
      </td>
      <td className="freeCell minorCell">
        {Date.parse(lastSeen) === 0 ? t('never') : <RelativeTime time={lastSeen} />}
      </td>
    </tr>
  )
}
