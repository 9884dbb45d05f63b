import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { TextField } from '../../components/ui/field.tsx'
import { NewPasswordField, NO_PASSWORD } from '../../components/ui/new-password.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { notify } from '../../components/ui/toast.ts'
import { ApiError } from '../../lib/api-error.ts'
import { useConnection } from '../../lib/connection.ts'
import { readPasswordRefusal } from '../../lib/password-refusal.ts'
import { useSession } from '../../lib/session.ts'
import { useCountdown } from '../../lib/use-countdown.ts'
import { changePassword } from './api.ts'

/** A new password for an account that signs in with one. */
export function PasswordCard() {
  const { t } = useTranslation('account')
  const { viewer } = useSession()
  const { state } = useConnection()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState(NO_PASSWORD)
  const change = useMutation({
    mutationFn: changePassword,
    onSuccess: () => {
      setCurrent('')
      setPassword(NO_PASSWORD)
      notify('success', t('password.changed'))
    },
  })
  const left = useCountdown(change.error)
  const wrong = change.error instanceof ApiError && change.error.status === 401 ? change.error.message : undefined
  const isToldBelow = wrong !== undefined || readPasswordRefusal(change.error) !== undefined
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate({ current, ...password })
  }
  return (
    <section className="card" aria-labelledby="account-password">
      <header>
        <h2 id="account-password">{t('password.title')}</h2>
      </header>
      <form className="cardBody stack" onSubmit={onSubmit}>
        <p className="muted">{t('password.about')}</p>
        {change.isError && !isToldBelow && <ErrorBlock error={change.error} />}
        {/* password managers find the account by it */}
        <input type="email" autoComplete="username" value={viewer.email} readOnly hidden />
        <TextField
          label={t('password.current')}
          type="password"
          autoComplete="current-password"
          required
          value={current}
          error={wrong}
          onChange={({ target }) => setCurrent(target.value)}
        />
        <NewPasswordField label={t('password.new')} value={password} error={change.error} onChange={setPassword} />
        <div>
          <Button type="submit" kind="primary" busy={change.isPending} disabled={left > 0 || state === 'offline'}>
            {left > 0 ? t('error.retryIn', { count: left }) : t('password.action')}
          </Button>
        </div>
      </form>
    </section>
  )
}
