import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import { toPagePath, toSafePath } from '../../lib/base-path.ts'
import { useInstanceName } from '../../lib/branding.ts'
import { type Session, sessionQuery } from '../../lib/session.ts'
import { EntryCard } from './entry-card.tsx'
import { ProviderLinks } from './provider-links.tsx'
import { RegisterForm } from './register-form.tsx'
import type { SignInSearch } from './search.ts'
import * as styles from './sign-in.module.css'
import { PasswordForm, TokenForm } from './sign-in-forms.tsx'

type Form = 'password' | 'register' | 'token'

/** The way in. @param onDone goes on to a path of the interface, prefix included */
export function SignInPage({
  search,
  onDone,
}: {
  readonly search: SignInSearch
  readonly onDone: (path: string) => Promise<void>
}) {
  const session = useQuery(sessionQuery)
  const { t } = useTranslation('sign-in')
  const name = useInstanceName()
  const isInside = session.data !== undefined && session.data.viewer.kind !== 'anonymous'
  const hasLeft = useRef(false)
  useEffect(() => {
    if (!isInside || hasLeft.current) return
    hasLeft.current = true
    void onDone(toSafePath(search.next) ?? toPagePath('app'))
  }, [isInside, search.next, onDone])
  if (session.data === undefined || isInside)
    return (
      <EntryCard pageTitle={t('title')} title={t('titleAt', { name })}>
        <QueryView query={session} lines={4} height={48}>
          {() => null}
        </QueryView>
      </EntryCard>
    )
  return <Forms session={session.data} error={search.error} />
}

function Forms({ session, error }: { readonly session: Session; readonly error: string | undefined }) {
  const { t } = useTranslation('sign-in')
  const name = useInstanceName()
  const hasPasswords = session.providers.includes('local')
  const isFirst = session.hasAccounts && !session.hasUsers
  const [chosen, setChosen] = useState<Form>()
  const form = session.asksForKey ? 'token' : (chosen ?? (isFirst ? 'register' : 'password'))
  const others = session.providers.filter((provider) => provider !== 'local')
  const title =
    form === 'register' ? (isFirst ? t('first.title') : t('register.title', { name })) : t('titleAt', { name })
  return (
    <EntryCard pageTitle={form !== 'register' ? t('title') : isFirst ? title : t('register.action')} title={title}>
      {error !== undefined && (
        <Notice tone={error === 'account_pending' ? 'warn' : 'bad'}>
          {t(`failure.${error}`, { defaultValue: t('failure.other') })}
        </Notice>
      )}
      {isFirst && <Notice>{hasPasswords ? t('first.about') : t('first.provider')}</Notice>}
      {form === 'token' && <TokenForm />}
      {form === 'password' && hasPasswords && <PasswordForm />}
      {form === 'register' && hasPasswords && (
        <RegisterForm isFirst={isFirst} mode={session.registrationMode} onSignIn={() => setChosen('password')} />
      )}
      {!hasPasswords && form !== 'token' && others.length > 0 && <p className="muted">{t('noPasswords')}</p>}
      {!session.asksForKey && (
        <>
          {(hasPasswords || form === 'token') && (
            <div className={styles.or}>
              <span>{t('or')}</span>
            </div>
          )}
          <div className="stack tight">
            <ProviderLinks providers={others} />
            {form === 'token' ? (
              hasPasswords && (
                <Button className={styles.wide} onClick={() => setChosen('password')}>
                  {t('withPassword')}
                </Button>
              )
            ) : (
              <Button className={styles.wide} icon="key" onClick={() => setChosen('token')}>
                {t('withToken')}
              </Button>
            )}
          </div>
          {hasPasswords && !isFirst && (
            <SwitchLine isRegistering={form === 'register'} mode={session.registrationMode} onChoose={setChosen} />
          )}
        </>
      )}
    </EntryCard>
  )
}

/** The line that leads from signing in to registering and back. */
function SwitchLine({
  isRegistering,
  mode,
  onChoose,
}: {
  readonly isRegistering: boolean
  readonly mode: string
  readonly onChoose: (form: Form) => void
}) {
  const { t } = useTranslation('sign-in')
  return (
    <p className={`muted ${styles.below}`}>
      {isRegistering ? t('haveAccount') : t('noAccount')}{' '}
      <button
        type="button"
        className={styles.textButton}
        onClick={() => onChoose(isRegistering ? 'password' : 'register')}
      >
        {isRegistering ? t('action') : t('register.action')}
      </button>
      {!isRegistering && mode !== 'open' && <span className={`meta ${styles.mode}`}>{t(`mode.${mode}`)}</span>}
    </p>
  )
}
