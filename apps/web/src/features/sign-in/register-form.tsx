import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { TextField } from '../../components/ui/field.tsx'
import { NewPasswordField, NO_PASSWORD } from '../../components/ui/new-password.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { register } from './api.ts'
import { FormFailure } from './form-failure.tsx'
import { SubmitButton } from './sign-in-forms.tsx'

/**
 * Opens an account with an address and a password.
 *
 * @param mode `open`, `approval` or `invite`
 * @param inviteCode the code of the link that led here; without it the form asks for one where the server wants one
 */
export function RegisterForm({
  isFirst = false,
  mode,
  inviteCode,
  onSignIn,
}: {
  readonly isFirst?: boolean
  readonly mode: string
  readonly inviteCode?: string
  readonly onSignIn: () => void
}) {
  const { t } = useTranslation('sign-in')
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState(NO_PASSWORD)
  const [typedCode, setTypedCode] = useState('')
  const attempt = useMutation({ mutationFn: register })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    attempt.mutate({ ...password, name, email, inviteCode: inviteCode ?? typedCode.trim() })
  }
  if (attempt.data === 'pending' || attempt.data === 'processed')
    return (
      <Notice
        tone={attempt.data === 'pending' ? 'ok' : 'info'}
        actions={<Button onClick={onSignIn}>{t('toSignIn')}</Button>}
      >
        {t(`registered.${attempt.data}`)}
      </Notice>
    )
  const asksForCode = inviteCode === undefined && !isFirst && mode !== 'open'
  return (
    <form className="stack" onSubmit={onSubmit}>
      <FormFailure error={attempt.error} />
      <TextField
        label={t('name')}
        autoComplete="name"
        value={name}
        hint={t('nameHint')}
        onChange={({ target }) => setName(target.value)}
      />
      <TextField
        label={t('email')}
        type="email"
        autoComplete="username"
        required
        value={email}
        onChange={({ target }) => setEmail(target.value)}
      />
      <NewPasswordField label={t('password')} value={password} error={attempt.error} onChange={setPassword} />
      {asksForCode && (
        <TextField
          label={mode === 'invite' ? t('inviteCode') : t('inviteCodeOptional')}
          autoComplete="off"
          spellCheck={false}
          required={mode === 'invite'}
          hint={t(`inviteHint.${mode}`)}
          value={typedCode}
          onChange={({ target }) => setTypedCode(target.value)}
        />
      )}
      <SubmitButton
        text={isFirst ? t('first.action') : t('register.action')}
        busy={attempt.isPending}
        error={attempt.error}
      />
    </form>
  )
}
