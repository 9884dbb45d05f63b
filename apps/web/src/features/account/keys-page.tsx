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
import { EditKeyDialog } from './edit-key-dialog.tsx'
import { isExpired } from './expiry.ts'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { RotateKeyDialog } from './rotate-key-dialog.tsx'

/** A key, and what is to be done with it. */
interface Chosen {
  readonly what: 'edit' | 'rotate' | 'revoke'
  readonly key: ApiKey
}

/** The API keys of the viewer. */
export function KeysPage() {
  const { t } = useTranslation('account')
  const keys = useQuery(keysQuery)
  const { state } = useConnection()
  const [isMaking, setMaking] = useState(false)
  const [value, setValue] = useState<string>()
  const [chosen, choose] = useState<Chosen>()
  const close = () => choose(undefined)
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
              <KeyTable keys={list} onChoose={choose} />
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
      {chosen?.what === 'edit' && <EditKeyDialog edited={chosen.key} onClose={close} />}
      {chosen?.what === 'rotate' && (
        <RotateKeyDialog
          rotated={chosen.key}
          onRotated={(next) => {
            close()
            setValue(next)
          }}
          onClose={close}
        />
      )}
      {chosen?.what === 'revoke' && <RevokeDialog doomed={chosen.key} onClose={close} />}
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

function KeyActions({ apiKey, onChoose }: { readonly apiKey: ApiKey; readonly onChoose: (chosen: Chosen) => void }) {
  const { t } = useTranslation('account')
  const { state } = useConnection()
  const actions = [
    ['edit', 'edit', t('keys.editNamed', { name: apiKey.name })],
    ['rotate', 'regenerate', t('keys.rotateNamed', { name: apiKey.name })],
    ['revoke', 'trash', t('keys.revokeNamed', { name: apiKey.name })],
  ] as const
  // An expired key can only go.
  const possible = isExpired(apiKey) ? actions.slice(2) : actions
  return possible.map(([what, icon, label]) => (
    <IconButton
      key={what}
      small
      icon={icon}
      label={label}
      disabled={state === 'offline'}
      onClick={() => onChoose({ what, key: apiKey })}
    />
  ))
}

/** Limits of a key, in words. */
function ScopeLine({ scopes: { routes, models, addresses } }: { readonly scopes: KeyScopes }) {
  const { t } = useTranslation('account')
  const groups = routes?.map((group) => t(`scopes.group.${group}`, { defaultValue: group }))
  const limits = [groups, models, addresses].map((list) => list?.join(', '))
  return <p className="meta">{limits.filter(Boolean).join(' · ')}</p>
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
