import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { TextField } from '../../components/ui/field.tsx'
import { useConnection } from '../../lib/connection.ts'
import { useCountdown } from '../../lib/use-countdown.ts'
import { signIn, signInWithToken } from './api.ts'
import { FormFailure } from './form-failure.tsx'

/** Address and password. */
export function PasswordForm() {
  const { t } = useTranslation('sign-in')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const attempt = useMutation({ mutationFn: signIn })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    attempt.mutate({ email, password })
  }
  return (
    <form className="stack" onSubmit={onSubmit}>
      <FormFailure error={attempt.error} />
      <TextField
        label={t('email')}
        type="email"
        autoComplete="username"
        required
        value={email}
        onChange={({ target }) => setEmail(target.value)}
      />
      <TextField
        label={t('password')}
        type="password"
        autoComplete="current-password"
        required
        hint={t('forgotten')}
        value={password}
        onChange={({ target }) => setPassword(target.value)}
      />
      <SubmitButton text={t('action')} busy={attempt.isPending} error={attempt.error} />
    </form>
  )
}

/** An API key, or a key that people share. */
export function TokenForm() {
  const { t } = useTranslation('sign-in')
  const [token, setToken] = useState('')
  const attempt = useMutation({ mutationFn: signInWithToken })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    attempt.mutate(token)
  }
  return (
    <form className="stack" onSubmit={onSubmit}>
      <FormFailure error={attempt.error} />
      <TextField
        label={t('token.label')}
        type="password"
        autoComplete="off"
        spellCheck={false}
        required
        hint={t('token.hint')}
        value={token}
        onChange={({ target }) => setToken(target.value)}
      />
      <SubmitButton text={t('action')} busy={attempt.isPending} error={attempt.error} />
    </form>
  )
}

/** Sends a form; it waits as long as the server asks, and while the server is away. */
export function SubmitButton({
  text,
  busy,
  error,
}: {
  readonly text: string
  readonly busy: boolean
  readonly error: unknown
}) {
  const { t } = useTranslation('sign-in')
  const left = useCountdown(error)
  const { state } = useConnection()
  return (
    <Button type="submit" kind="primary" busy={busy} disabled={left > 0 || state === 'offline'}>
      {left > 0 ? t('error.retryIn', { count: left }) : text}
    </Button>
  )
}
