import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Status } from '../../components/ui/status.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import type { User } from '../../lib/users.ts'
import { useSetStatus } from './api.ts'
import { Person } from './person.tsx'

/** Accounts that wait for an admin, with the answer in the row. */
export function PendingTable({
  users,
  onDelete,
}: {
  readonly users: readonly User[]
  readonly onDelete: (user: User) => void
}) {
  const { t } = useTranslation('users')
  return (
    <section className="card users-pending" aria-labelledby="users-pending">
      <header>
        <h2 id="users-pending">
          <Status tone="warn">{t('pending.title', { count: users.length })}</Status>
        </h2>
      </header>
      <table className="tbl two">
        <thead>
          <tr>
            <th scope="col">{t('name')}</th>
            <th scope="col">{t('signsInWith')}</th>
            <th scope="col">{t('asked')}</th>
            <th scope="col">
              <span className="vh">{t('actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <PendingRow key={user.id} user={user} onDelete={onDelete} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function PendingRow({ user, onDelete }: { readonly user: User; readonly onDelete: (user: User) => void }) {
  const { t } = useTranslation('users')
  const { state } = useConnection()
  const approve = useSetStatus()
  const onApprove = () =>
    approve.mutate(
      { id: user.id, status: 'active' },
      {
        onSuccess: () => notify('success', t('pending.approved', { email: user.email })),
        onError: ({ message }) => notify('error', t('refused', { email: user.email, message })),
      },
    )
  return (
    <tr>
      <td className="main-c">
        <Person user={user} />
      </td>
      <td className="m">{t(`provider.${user.provider}`, { defaultValue: user.provider })}</td>
      <td className="m">
        <RelativeTime time={user.createdAt} />
      </td>
      <td className="end-c num">
        <div className="row users-actions">
          <Button small disabled={state === 'offline'} onClick={() => onDelete(user)}>
            {t('pending.refuse')}
          </Button>
          <Button
            small
            kind="primary"
            busy={approve.isPending}
            disabled={state === 'offline'}
            aria-label={t('pending.approveNamed', { email: user.email })}
            onClick={onApprove}
          >
            {t('pending.approve')}
          </Button>
        </div>
      </td>
    </tr>
  )
}
