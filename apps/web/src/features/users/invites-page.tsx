import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/dialog.tsx'
import { Pager } from '../../components/ui/pager.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import { ShownOnceDialog } from '../../components/ui/shown-once.tsx'
import { EmptyState, ErrorBlock, NoMatch, QueryView } from '../../components/ui/states.tsx'
import { Status } from '../../components/ui/status.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { notify } from '../../components/ui/toast.ts'
import { toUrl } from '../../lib/base-path.ts'
import { useConnection } from '../../lib/connection.ts'
import { useSession } from '../../lib/session.ts'
import { type Invite, invitesQuery, readState, useRevokeInvite } from './invites-api.ts'
import { NewInviteDialog } from './new-invite-dialog.tsx'
import { readInvitesSearch } from './search.ts'
import { UsersFrame } from './users-head.tsx'

const PAGE_SIZE = 50
const route = getRouteApi('/app/users/invites')

/** Invites: links that open an account. */
export function InvitesPage() {
  const { t } = useTranslation('users')
  const { hasAccounts } = useSession()
  const { state } = useConnection()
  const invites = useQuery({ ...invitesQuery, enabled: hasAccounts })
  const [isMaking, setMaking] = useState(false)
  const [code, setCode] = useState<string>()
  const [doomed, setDoomed] = useState<Invite>()
  const make = (
    <Button kind="primary" icon="plus" disabled={state === 'offline'} onClick={() => setMaking(true)}>
      {t('invite.make')}
    </Button>
  )
  return (
    <UsersFrame title={t('invite.title')} action={make}>
      <QueryView query={invites} lines={5}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="share" title={t('invite.none')} action={make}>
              {t('invite.noneAbout')}
            </EmptyState>
          ) : (
            <Invites invites={list} onRevoke={setDoomed} />
          )
        }
      </QueryView>
      {isMaking && (
        <NewInviteDialog
          onMade={(made) => {
            setMaking(false)
            setCode(made)
          }}
          onClose={() => setMaking(false)}
        />
      )}
      {code !== undefined && (
        <ShownOnceDialog
          title={t('invite.madeTitle')}
          warning={t('invite.madeWarning')}
          blocks={[{ title: t('invite.link'), text: toUrl(`invite/${code}`) }]}
          onClose={() => setCode(undefined)}
        />
      )}
      {doomed && <RevokeDialog invite={doomed} onClose={() => setDoomed(undefined)} />}
    </UsersFrame>
  )
}

function Invites({
  invites,
  onRevoke,
}: {
  readonly invites: readonly Invite[]
  readonly onRevoke: (invite: Invite) => void
}) {
  const { t } = useTranslation('users')
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = (next: Record<string, unknown>) => void navigate({ search: readInvitesSearch(next), replace: true })
  const shown = invites.filter((invite) => search.state === undefined || readState(invite) === search.state)
  const page = Math.min(search.page ?? 1, Math.max(1, Math.ceil(shown.length / PAGE_SIZE)))
  return (
    <>
      <div>
        <Segmented
          label={t('invite.state')}
          value={search.state ?? 'all'}
          options={(['all', 'unused', 'used', 'expired'] as const).map((state) => [
            state,
            t(`invite.stateName.${state}`),
          ])}
          onChange={(state) => change({ state })}
        />
      </div>
      {shown.length === 0 ? (
        <NoMatch onClear={() => change({})} />
      ) : (
        <table className="table stacked">
          <thead>
            <tr>
              <th scope="col">{t('invite.prefix')}</th>
              <th scope="col">{t('invite.state')}</th>
              <th scope="col">{t('invite.createdBy')}</th>
              <th scope="col">{t('created')}</th>
              <th scope="col">{t('invite.expires')}</th>
              <th scope="col">
                <span className="visuallyHidden">{t('actions')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE).map((invite) => (
              <InviteRow key={invite.id} invite={invite} onRevoke={onRevoke} />
            ))}
          </tbody>
        </table>
      )}
      <Pager page={page} size={PAGE_SIZE} total={shown.length} onChange={(next) => change({ ...search, page: next })} />
    </>
  )
}

const TONES = { unused: 'run', used: 'ok', expired: 'neutral' } as const

function InviteRow({ invite, onRevoke }: { readonly invite: Invite; readonly onRevoke: (invite: Invite) => void }) {
  const { t } = useTranslation('users')
  const { state: connection } = useConnection()
  const state = readState(invite)
  return (
    <tr>
      <td className="mainCell">
        <code>{invite.codePrefix}…</code>
        {invite.note !== '' && <p className="meta">{invite.note}</p>}
      </td>
      <td className="minorCell">
        <Status tone={TONES[state]}>
          {state === 'used' && invite.usedBy !== null
            ? t('invite.usedBy', { name: invite.usedBy.name })
            : t(`invite.stateName.${state}`)}
        </Status>
      </td>
      <td className="minorCell clip">
        <span className="stackedOnly">{t('invite.createdBy')} </span>
        {invite.createdBy?.name ?? t('invite.nobody')}
      </td>
      <td className="minorCell">
        <span className="stackedOnly">{t('created')} </span>
        <RelativeTime time={invite.createdAt} />
      </td>
      <td className="minorCell">
        <span className="stackedOnly">{t('invite.expires')} </span>
        <RelativeTime time={invite.expiresAt} />
      </td>
      <td className="endCell number">
        {state !== 'used' && (
          <IconButton
            small
            icon="trash"
            label={t('invite.revokeNamed', { prefix: invite.codePrefix })}
            disabled={connection === 'offline'}
            onClick={() => onRevoke(invite)}
          />
        )}
      </td>
    </tr>
  )
}

function RevokeDialog({ invite, onClose }: { readonly invite: Invite; readonly onClose: () => void }) {
  const { t } = useTranslation('users')
  const revoke = useRevokeInvite()
  const onConfirm = () =>
    revoke.mutate(invite.id, {
      onSuccess: () => {
        onClose()
        notify('success', t('invite.revoked'))
      },
    })
  return (
    <ConfirmDialog
      title={t('invite.revokeNamed', { prefix: invite.codePrefix })}
      action={t('invite.revoke')}
      busy={revoke.isPending}
      error={revoke.isError && <ErrorBlock error={revoke.error} />}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {t('invite.revokeAbout')}
    </ConfirmDialog>
  )
}
