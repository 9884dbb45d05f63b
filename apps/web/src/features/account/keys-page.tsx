import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/dialog.tsx'
import { ShownOnceDialog } from '../../components/ui/shown-once.tsx'
import { EmptyState, ErrorBlock, QueryView } from '../../components/ui/states.tsx'
import { Badge, Status } from '../../components/ui/status.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { notify } from '../../components/ui/toast.ts'
import { toUrl } from '../../lib/base-path.ts'
import { useConnection } from '../../lib/connection.ts'
import { AccountHead } from './account-head.tsx'
import { type ApiKey, type KeyScopes, keysQuery, useRevokeKey } from './api.ts'
import { isExpired } from './expiry.ts'
import { NewKeyDialog } from './new-key-dialog.tsx'

/** The API keys of the viewer. */
export function KeysPage() {
  const { t } = useTranslation('account')
  const keys = useQuery(keysQuery)
  const { state } = useConnection()
  const [isMaking, setMaking] = useState(false)
  const [value, setValue] = useState<string>()
  const [doomed, setDoomed] = useState<ApiKey>()
  const make = (
    <Button kind="primary" icon="plus" disabled={state === 'offline'} onClick={() => setMaking(true)}>
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
              <KeyTable keys={list} onRevoke={setDoomed} />
            )
          }
        </QueryView>
      </div>
      {isMaking && (
        <NewKeyDialog
          onMade={(made) => {
            setMaking(false)
            setValue(made)
          }}
          onClose={() => setMaking(false)}
        />
      )}
      {value !== undefined && (
        <ShownOnceDialog
          title={t('keys.madeTitle')}
          warning={t('keys.madeWarning')}
          blocks={[
            { title: t('keys.value'), text: value },
            { title: t('keys.try'), text: `curl ${toUrl('v1/models')} \\\n  -H "Authorization: Bearer ${value}"` },
          ]}
          onClose={() => setValue(undefined)}
        />
      )}
      {doomed !== undefined && <RevokeDialog doomed={doomed} onClose={() => setDoomed(undefined)} />}
    </>
  )
}

function KeyTable({ keys, onRevoke }: { readonly keys: readonly ApiKey[]; readonly onRevoke: (key: ApiKey) => void }) {
  const { t } = useTranslation('account')
  const { state } = useConnection()
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
              </div>
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
              <IconButton
                small
                icon="trash"
                label={t('keys.revokeNamed', { name: key.name })}
                disabled={state === 'offline'}
                onClick={() => onRevoke(key)}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Limits of a key, in words. */
function ScopeLine({ scopes: { routes, models } }: { readonly scopes: KeyScopes }) {
  const { t } = useTranslation('account')
  const groups = routes?.map((group) => t(`scopes.group.${group}`, { defaultValue: group }))
  return <p className="meta">{[groups?.join(', '), models?.join(', ')].filter(Boolean).join(' · ')}</p>
}

function KeyEnd({ apiKey: { expiresAt } }: { readonly apiKey: ApiKey }) {
  const { t } = useTranslation('account')
  if (expiresAt === undefined) return <span className="faint">{t('keys.noEnd')}</span>
  if (isExpired({ expiresAt })) return <Status tone="bad">{t('keys.expired')}</Status>
  return <RelativeTime time={expiresAt} />
}

function RevokeDialog({ doomed, onClose }: { readonly doomed: ApiKey; readonly onClose: () => void }) {
  const { t } = useTranslation('account')
  const revoke = useRevokeKey()
  const onConfirm = () =>
    revoke.mutate(doomed.id, {
      onSuccess: () => {
        onClose()
        notify('success', t('keys.revoked', { name: doomed.name }))
      },
    })
  return (
    <ConfirmDialog
      title={t('keys.revokeNamed', { name: doomed.name })}
      action={t('keys.revoke')}
      busy={revoke.isPending}
      error={revoke.isError && <ErrorBlock error={revoke.error} />}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {t('keys.revokeAsk')}
    </ConfirmDialog>
  )
}
