import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { SearchField, SelectFilter } from '../../components/ui/field.tsx'
import { Filters } from '../../components/ui/filters.tsx'
import { Pager } from '../../components/ui/pager.tsx'
import { NoMatch, QueryView } from '../../components/ui/states.tsx'
import { useSession } from '../../lib/session.ts'
import { isPending, type User, usersQuery } from '../../lib/users.ts'
import { PendingTable } from './pending-table.tsx'
import { RightsDialog } from './rights-dialog.tsx'
import { readUsersSearch, type UsersSearch } from './search.ts'
import { DeleteDialog, PasswordDialog, StatusDialog } from './user-dialogs.tsx'
import { selectUsers } from './user-list.ts'
import { type UserAction, UserTable } from './user-table.tsx'
import * as styles from './users.module.css'
import { UsersFrame } from './users-head.tsx'

const PAGE_SIZE = 50
const route = getRouteApi('/app/users')

/** The accounts: first the pending ones, then the rest. */
export function UsersPage() {
  const { t } = useTranslation('users')
  const { hasAccounts } = useSession()
  const users = useQuery({ ...usersQuery, enabled: hasAccounts })
  return (
    <UsersFrame title={t('nav.users')}>
      <QueryView query={users} lines={8}>
        {(list) => <Users users={list} />}
      </QueryView>
    </UsersFrame>
  )
}

function Users({ users }: { readonly users: readonly User[] }) {
  const { t } = useTranslation('users')
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [asked, setAsked] = useState<{ readonly action: UserAction; readonly id: string }>()
  const change = (next: UsersSearch) => void navigate({ search: readUsersSearch({ ...next }), replace: true })
  const filter = (next: UsersSearch) => {
    const { page: _, ...rest } = search
    change({ ...rest, ...next })
  }
  const act = (action: UserAction, { id }: User) =>
    action === 'rights' ? change({ ...search, user: id }) : setAsked({ action, id })
  const shown = selectUsers(users, search)
  const page = Math.min(search.page ?? 1, Math.max(1, Math.ceil(shown.length / PAGE_SIZE)))
  const waiting = users.filter(isPending)
  const opened = users.find(({ id }) => id === search.user)
  const { user: _, ...closed } = search
  const close = () => setAsked(undefined)
  const subject = users.find(({ id }) => id === asked?.id)
  return (
    <>
      {waiting.length > 0 && <PendingTable users={waiting} onDelete={(user) => act('delete', user)} />}
      <div className={`row wrap ${styles.bar}`}>
        <SearchField label={t('searchLabel')} value={search.q ?? ''} onChange={(q) => filter({ q })} />
        <Filters values={[search.role, search.status]}>
          <SelectFilter
            label={t('role')}
            options={[
              ['', t('anyRole')],
              ['admin', t('roleName.admin')],
              ['user', t('roleName.user')],
            ]}
            value={search.role ?? ''}
            onChange={({ target }) => filter(readUsersSearch({ ...search, page: 1, role: target.value }))}
          />
          <SelectFilter
            label={t('status')}
            options={[
              ['', t('anyStatus')],
              ['active', t('statusName.active')],
              ['disabled', t('statusName.disabled')],
            ]}
            value={search.status ?? ''}
            onChange={({ target }) => filter(readUsersSearch({ ...search, page: 1, status: target.value }))}
          />
        </Filters>
        <span className="meta push">{t('count', { count: shown.length })}</span>
      </div>
      {shown.length === 0 ? (
        <NoMatch onClear={() => change({})} />
      ) : (
        <UserTable
          users={shown.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)}
          search={search}
          onSort={({ by, descending }) => filter({ sort: by, desc: descending })}
          onAct={act}
        />
      )}
      <Pager page={page} size={PAGE_SIZE} total={shown.length} onChange={(next) => change({ ...search, page: next })} />
      {opened && <RightsDialog user={opened} onClose={() => change(closed)} />}
      {subject && asked?.action === 'delete' && <DeleteDialog user={subject} onClose={close} />}
      {subject && asked?.action === 'password' && <PasswordDialog user={subject} onClose={close} />}
      {subject && asked?.action === 'status' && <StatusDialog user={subject} onClose={close} />}
    </>
  )
}
