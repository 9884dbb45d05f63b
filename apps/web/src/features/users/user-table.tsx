import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { SelectFilter } from '../../components/ui/field.tsx'
import { Icon } from '../../components/ui/icon.tsx'
import { type MenuEntry, RowMenu } from '../../components/ui/menu.tsx'
import { SortHeader, type SortOrder } from '../../components/ui/sort-header.tsx'
import { Badge, Status } from '../../components/ui/status.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import { formatNumber } from '../../lib/format.ts'
import { useSession } from '../../lib/session.ts'
import type { User } from '../../lib/users.ts'
import { monthlyTokensQuery, useSetRole } from './api.ts'
import { Person } from './person.tsx'
import { QuotaCell } from './quota-cell.tsx'
import { readOrder, type UserColumn, type UsersSearch } from './search.ts'
import * as styles from './users.module.css'

export type UserAction = 'rights' | 'password' | 'status' | 'delete'

/** One page of accounts. */
export function UserTable({
  users,
  search,
  onSort,
  onAct,
}: {
  readonly users: readonly User[]
  readonly search: UsersSearch
  readonly onSort: (order: SortOrder<UserColumn>) => void
  readonly onAct: (action: UserAction, user: User) => void
}) {
  const { t } = useTranslation('users')
  const order = readOrder(search)
  return (
    <table className={`table stacked ${styles.table}`}>
      <thead>
        <tr>
          <SortHeader column="name" text={t('name')} order={order} onSort={onSort} />
          <SortHeader column="role" text={t('role')} order={order} onSort={onSort} />
          <th scope="col">{t('status')}</th>
          <th scope="col" className={`${styles.ifWide}`}>
            {t('models')}
          </th>
          <th scope="col" className={`number ${styles.ifMedium}`}>
            {t('tokensMonth')}
          </th>
          <th scope="col">{t('quotaColumn')}</th>
          <SortHeader column="seen" text={t('lastSeen')} order={order} onSort={onSort} />
          <SortHeader
            column="created"
            text={t('created')}
            order={order}
            onSort={onSort}
            className={`${styles.ifWide}`}
          />
          <th scope="col">
            <span className="visuallyHidden">{t('actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <UserRow key={user.id} user={user} onAct={onAct} />
        ))}
      </tbody>
    </table>
  )
}

function UserRow({ user, onAct }: { readonly user: User; readonly onAct: (action: UserAction, user: User) => void }) {
  const { t } = useTranslation('users')
  const isOwn = useSession().viewer.id === user.id
  const { enabled, models } = user.allowed_models
  const tokens = useQuery(monthlyTokensQuery).data
  return (
    <tr>
      <td className="mainCell">
        <div className="row">
          <Person user={user} />
          {isOwn && <Badge>{t('you')}</Badge>}
        </div>
      </td>
      <td className="minorCell">
        {isOwn ? (
          <span className="row" title={t('ownRow')}>
            {t(`roleName.${user.role}`)} <Icon name="lock" small />
            <span className="visuallyHidden">{t('ownRow')}</span>
          </span>
        ) : (
          <RoleSelect user={user} />
        )}
      </td>
      <td className="minorCell">
        <Status tone={user.status === 'active' ? 'ok' : 'neutral'}>{t(`statusName.${user.status}`)}</Status>{' '}
        <span className={`meta ${styles.ifWide}`}>
          {t(`provider.${user.provider}`, { defaultValue: user.provider })}
        </span>
      </td>
      <td className={`minorCell ${styles.ifWide}`}>
        {enabled ? t('someModels', { count: models.length }) : t('allModels')}
      </td>
      <td className={`minorCell number ${styles.ifMedium}`}>
        <span className="stackedOnly">{t('tokensMonth')} </span>
        {tokens === undefined ? '' : formatNumber(tokens.get(user.id) ?? 0)}
      </td>
      <td className="minorCell">
        <QuotaCell quotas={user.quotas} />
      </td>
      <td className="minorCell">
        <span className="stackedOnly">{t('lastSeen')} </span>
        {user.lastSeen === null ? (
          <span className="faint">{t('neverSeen')}</span>
        ) : (
          <RelativeTime time={user.lastSeen} />
        )}
      </td>
      <td className={`minorCell ${styles.ifWide}`}>
        <span className="stackedOnly">{t('created')} </span>
        <RelativeTime time={user.createdAt} />
      </td>
      <td className="endCell number">
        <RowActions user={user} isOwn={isOwn} onAct={onAct} />
      </td>
    </tr>
  )
}

/** Changes a role at once; a refusal puts the old one back. */
function RoleSelect({ user }: { readonly user: User }) {
  const { t } = useTranslation('users')
  const { state } = useConnection()
  const setRole = useSetRole(({ message }) => notify('error', t('refused', { email: user.email, message })))
  return (
    <SelectFilter
      label={t('roleNamed', { email: user.email })}
      options={[
        ['user', t('roleName.user')],
        ['admin', t('roleName.admin')],
      ]}
      value={user.role}
      disabled={state === 'offline'}
      onChange={({ target }) => setRole.mutate({ id: user.id, role: target.value === 'admin' ? 'admin' : 'user' })}
    />
  )
}

function RowActions({
  user,
  isOwn,
  onAct,
}: {
  readonly user: User
  readonly isOwn: boolean
  readonly onAct: (action: UserAction, user: User) => void
}) {
  const { t } = useTranslation('users')
  const isOffline = useConnection().state === 'offline'
  const entry = (id: UserAction, text: string, more: Partial<MenuEntry> = {}): MenuEntry => ({
    id,
    text,
    onSelect: () => onAct(id, user),
    isDisabled: isOffline,
    ...more,
  })
  const entries = [
    entry('rights', t('rights.open'), { icon: 'shield', isDisabled: false }),
    ...(isOwn
      ? []
      : [
          ...(user.provider === 'local' ? [entry('password', t('password.open'), { icon: 'key' })] : []),
          entry('status', user.status === 'active' ? t('statusAction.disable') : t('statusAction.enable'), {
            icon: 'lock',
          }),
          entry('delete', t('delete.open'), { icon: 'trash', isDangerous: true, separator: true }),
        ]),
  ]
  return <RowMenu label={t('actionsNamed', { email: user.email })} entries={entries} />
}
