import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Chosen, KeyDialogs } from '../../components/keys/key-dialogs.tsx'
import { KeyActions, KeyEnd, ScopeLine } from '../../components/keys/key-parts.tsx'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, QueryView } from '../../components/ui/states.tsx'
import { Badge } from '../../components/ui/status.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { useConnection } from '../../lib/connection.ts'
import { type ApiKey, keysQuery } from '../../lib/keys.ts'
import { AccountHead } from './account-head.tsx'

/** The API keys of the viewer. */
export function KeysPage() {
  const { t } = useTranslation('account')
  const keys = useQuery(keysQuery)
  const { state } = useConnection()
  const [chosen, choose] = useState<Chosen>()
  const close = () => choose(undefined)
  const make = (
    <Button kind="primary" icon="plus" disabled={state === 'offline'} onClick={() => choose({ what: 'make' })}>
      {t('keys.make')}
    </Button>
  )
  return (
    <>
      <AccountHead title={t('keys.title')}>
        <span className="push" />
        {make}
      </AccountHead>
      <div className="page stack flush">
        <p className="muted">{t('keys.about')}</p>
        <QueryView query={keys} lines={4}>
          {(list) =>
            list.length === 0 ? (
              <EmptyState icon="key" title={t('keys.none')} action={make}>
                {t('keys.noneAbout')}
              </EmptyState>
            ) : (
              <KeyTable keys={list} onChoose={choose} />
            )
          }
        </QueryView>
      </div>
      <KeyDialogs area="own" chosen={chosen} onClose={close} />
    </>
  )
}

function KeyTable({
  keys,
  onChoose,
}: {
  readonly keys: readonly ApiKey[]
  readonly onChoose: (chosen: Chosen) => void
}) {
  const { t } = useTranslation('account')
  return (
    <table className="table stacked">
      <thead>
        <tr>
          <th scope="col">{t('keys.name')}</th>
          <th scope="col">{t('keys.prefix')}</th>
          <th scope="col">{t('keys.created')}</th>
          <th scope="col">{t('keys.lastUsed')}</th>
          <th scope="col">{t('keys.expires')}</th>
          <th scope="col">
            <span className="visuallyHidden">{t('keys.actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <td className="mainCell">
              <div className="row">
                <span className="medium clip" title={key.name}>
                  {key.name}
                </span>
                {key.scopes && <Badge tone="info">{t('keys.limited')}</Badge>}
                {key.blocked && <Badge tone="bad">{t('keys.blocked')}</Badge>}
              </div>
              {key.note !== undefined && <p className="meta">{key.note}</p>}
              {key.scopes && <ScopeLine scopes={key.scopes} />}
            </td>
            <td className="minorCell">
              <code>{key.keyPrefix}…</code>
            </td>
            <td className="minorCell">
              <span className="stackedOnly">{t('keys.created')} </span>
              <RelativeTime time={key.createdAt} />
            </td>
            <td className="minorCell">
              <span className="stackedOnly">{t('keys.lastUsed')} </span>
              {key.lastUsed === null ? (
                <span className="faint">{t('keys.never')}</span>
              ) : (
                <RelativeTime time={key.lastUsed} />
              )}
            </td>
            <td className="minorCell">
              <span className="stackedOnly">{t('keys.expires')} </span>
              <KeyEnd apiKey={key} />
            </td>
            <td className="endCell number">
              <KeyActions apiKey={key} onChoose={onChoose} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
