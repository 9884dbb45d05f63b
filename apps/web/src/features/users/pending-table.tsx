import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import * as fieldStyles from '../../components/ui/field.module.css'
import { Status } from '../../components/ui/status.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import type { User } from '../../lib/users.ts'
import { useSetStatus } from './api.ts'
import { Person } from './person.tsx'
import * as styles from './users.module.css'

/** Accounts that wait for an admin, with the answer in the row, and one answer for several. */
export function PendingTable({
  users,
  onDelete,
}: {
  readonly users: readonly User[]
  readonly onDelete: (user: User) => void
}) {
  const { t } = useTranslation('users')
  const isOffline = useConnection().state === 'offline'
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const picked = users.filter(({ id }) => chosen.has(id))
  const approveAll = useApproveAll()
  const flip = (id: string, isOn: boolean) => {
    const next = new Set(chosen)
    if (isOn) next.add(id)
    else next.delete(id)
    setChosen(next)
  }
  return (
    <section className={`card ${styles.pending}`} aria-labelledby="users-pending">
      <header>
        <h2 id="users-pending">
          <Status tone="warn">{t('pending.title', { count: users.length })}</Status>
        </h2>
        {users.length > 1 && (
          <Button
            small
            className="push"
            busy={approveAll.isPending}
            disabled={isOffline}
            onClick={() => approveAll.mutate(picked.length === 0 ? users : picked)}
          >
            {picked.length === 0
              ? t('pending.approveAll', { count: users.length })
              : t('pending.approveChosen', { count: picked.length })}
          </Button>
        )}
      </header>
      <table className="table stacked">
        <thead>
          <tr>
            <th scope="col">{t('name')}</th>
            <th scope="col">{t('signsInWith')}</th>
            <th scope="col">{t('asked')}</th>
            <th scope="col">
              <span className="visuallyHidden">{t('actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <PendingRow
              key={user.id}
              user={user}
              isChosen={chosen.has(user.id)}
              onChoose={users.length > 1 ? (isOn) => flip(user.id, isOn) : undefined}
              onDelete={onDelete}
            />
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Approves accounts one after the other. Shows a refusal of the server and continues with the next account. */
function useApproveAll() {
  const { t } = useTranslation('users')
  const approve = useSetStatus()
  return useMutation({
    async mutationFn(users: readonly User[]) {
      let count = 0
      for (const { id, email } of users) {
        try {
          await approve.mutateAsync({ id, status: 'active' })
          count += 1
        } catch (error) {
          notify('error', t('refused', { email, message: error instanceof Error ? error.message : String(error) }))
        }
      }
      if (count > 0) notify('success', t('pending.approvedCount', { count }))
    },
  })
}

function PendingRow({
  user,
  isChosen,
  onChoose,
  onDelete,
}: {
  readonly user: User
  readonly isChosen: boolean
  /** Undefined if there is no choice. */
  readonly onChoose: ((isOn: boolean) => void) | undefined
  readonly onDelete: (user: User) => void
}) {
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
      <td className="mainCell">
        <div className="row">
          {onChoose !== undefined && (
            <label className={fieldStyles.check}>
              <input
                type="checkbox"
                aria-label={t('pending.choose', { email: user.email })}
                checked={isChosen}
                onChange={({ target }) => onChoose(target.checked)}
              />
            </label>
          )}
          <Person user={user} />
        </div>
      </td>
      <td className="minorCell">{t(`provider.${user.provider}`, { defaultValue: user.provider })}</td>
      <td className="minorCell">
        <RelativeTime time={user.createdAt} />
      </td>
      <td className="endCell number">
        <div className={`row ${styles.actions}`}>
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
