import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isExpired } from '../../components/keys/expiry.ts'
import { type Chosen, KeyDialogs } from '../../components/keys/key-dialogs.tsx'
import { KeyActions, KeyEnd, ScopeLine } from '../../components/keys/key-parts.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Pager } from '../../components/ui/pager.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import { EmptyState, NoMatch, QueryView } from '../../components/ui/states.tsx'
import { Badge, Status } from '../../components/ui/status.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { useConnection } from '../../lib/connection.ts'
import { useSession } from '../../lib/session.ts'
import { type ManagedKey, managedKeysQuery } from './keys-api.ts'
import { KEY_STATES, type KeyState, readKeysSearch } from './search.ts'
import { UsersFrame } from './users-head.tsx'

const PAGE_SIZE = 50
const route = getRouteApi('/app/users/keys')
const TONES = { active: 'ok', expired: 'neutral', blocked: 'bad' } as const

function readState(key: ManagedKey): KeyState {
  if (key.blocked === true) return 'blocked'
  return isExpired(key) ? 'expired' : 'active'
}

/** Keys of services and of all accounts. */
export function ManagedKeysPage() {
  const { t } = useTranslation('users')
  const { hasAccounts } = useSession()
  const { state } = useConnection()
  const keys = useQuery({ ...managedKeysQuery, enabled: hasAccounts })
  const [chosen, choose] = useState<Chosen>()
  const make = (
    <Button kind="primary" icon="plus" disabled={state === 'offline'} onClick={() => choose({ what: 'make' })}>
      {t('account:keys.make')}
    </Button>
  )
  return (
    <UsersFrame title={t('managedKeys.title')} action={make}>
      <p className="muted">{t('managedKeys.about')}</p>
      <QueryView query={keys} lines={5}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="key" title={t('managedKeys.none')} action={make}>
              {t('managedKeys.noneAbout')}
            </EmptyState>
          ) : (
            <Keys keys={list} onChoose={choose} />
          )
        }
      </QueryView>
      <KeyDialogs area="managed" chosen={chosen} onClose={() => choose(undefined)} />
    </UsersFrame>
  )
}

interface KeysProps {
  readonly keys: readonly ManagedKey[]
  readonly onChoose: (chosen: Chosen) => void
}

function Keys({ keys, onChoose }: KeysProps) {
  const { t } = useTranslation('users')
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = (next: Record<string, unknown>) => void navigate({ search: readKeysSearch(next), replace: true })
  const shown = keys.filter((key) => search.state === undefined || readState(key) === search.state)
  const page = Math.min(search.page ?? 1, Math.max(1, Math.ceil(shown.length / PAGE_SIZE)))
  return (
    <>
      <div>
        <Segmented
          label={t('managedKeys.state')}
          value={search.state ?? 'all'}
          options={[
            ['all', t('managedKeys.all')],
            ...KEY_STATES.map((state) => [state, t(`managedKeys.${state}`)] as const),
          ]}
          onChange={(state) => change({ state })}
        />
      </div>
      {shown.length === 0 ? (
        <NoMatch onClear={() => change({})} />
      ) : (
        <KeyTable keys={shown.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)} onChoose={onChoose} />
      )}
      <Pager page={page} size={PAGE_SIZE} total={shown.length} onChange={(next) => change({ ...search, page: next })} />
    </>
  )
}

function KeyTable({ keys, onChoose }: KeysProps) {
  const { t } = useTranslation('users')
  return (
    <table className="table stacked" aria-label={t('managedKeys.title')}>
      <thead>
        <tr>
          <th scope="col">{t('account:keys.name')}</th>
          <th scope="col">{t('managedKeys.owner')}</th>
          <th scope="col">{t('managedKeys.state')}</th>
          <th scope="col">{t('account:keys.lastUsed')}</th>
          <th scope="col">{t('account:keys.expires')}</th>
          <th scope="col">
            <span className="visuallyHidden">{t('actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <KeyRow key={key.id} shown={key} onChoose={onChoose} />
        ))}
      </tbody>
    </table>
  )
}

function KeyRow({ shown: key, onChoose }: { readonly shown: ManagedKey } & Pick<KeysProps, 'onChoose'>) {
  const { t } = useTranslation('users')
  const state = readState(key)
  return (
    <tr>
      <td className="mainCell">
        <div className="row">
          <span className="medium clip" title={key.name}>
            {key.name}
          </span>
          {key.scopes && <Badge tone="info">{t('account:keys.limited')}</Badge>}
        </div>
        <code>{key.keyPrefix}…</code>
        {key.note !== undefined && <p className="meta">{key.note}</p>}
        {key.scopes && <ScopeLine scopes={key.scopes} />}
        {key.previousValidUntil !== undefined && !isExpired({ expiresAt: key.previousValidUntil }) && (
          <p className="meta">
            {t('managedKeys.rotated')} <RelativeTime time={key.previousValidUntil} />
          </p>
        )}
      </td>
      <td className="minorCell clip">
        <span className="stackedOnly">{t('managedKeys.owner')} </span>
        {key.user === null ? t('managedKeys.service') : key.user.name || key.user.email}
      </td>
      <td className="minorCell">
        <Status tone={TONES[state]}>{t(`managedKeys.${state}`)}</Status>
      </td>
      <td className="minorCell">
        <span className="stackedOnly">{t('account:keys.lastUsed')} </span>
        {key.lastUsed === null ? (
          <span className="faint">{t('account:keys.never')}</span>
        ) : (
          <RelativeTime time={key.lastUsed} />
        )}
      </td>
      <td className="minorCell">
        <span className="stackedOnly">{t('account:keys.expires')} </span>
        <KeyEnd apiKey={key} />
      </td>
      <td className="endCell number">
        <KeyActions apiKey={key} onChoose={onChoose} />
      </td>
    </tr>
  )
}
