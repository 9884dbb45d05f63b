import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import { toPagePath } from '../../lib/base-path.ts'
import { useInstanceName } from '../../lib/branding.ts'
import { endSession, type Session, sessionQuery } from '../../lib/session.ts'
import { inviteQuery } from './api.ts'
import { EntryCard } from './entry-card.tsx'
import { ProviderLinks } from './provider-links.tsx'
import { RegisterForm } from './register-form.tsx'

/** Registers with the code of a link. @param onDone goes on to a path of the interface, prefix included */
export function InvitePage({
  code,
  onDone,
}: {
  readonly code: string
  readonly onDone: (path: string) => Promise<void>
}) {
  const { t } = useTranslation('sign-in')
  const name = useInstanceName()
  const session = useQuery(sessionQuery)
  return (
    <EntryCard pageTitle={t('invite.title')} title={t('invite.titleAt', { name })}>
      <QueryView query={session} lines={4} height={48}>
        {(data) => <Invite code={code} session={data} onDone={onDone} />}
      </QueryView>
    </EntryCard>
  )
}

function Invite({
  code,
  session,
  onDone,
}: {
  readonly code: string
  readonly session: Session
  readonly onDone: (path: string) => Promise<void>
}) {
  const { t } = useTranslation('sign-in')
  const wasInside = useRef(session.viewer.kind !== 'anonymous')
  const [isRegistered, setRegistered] = useState(false)
  const isInside = session.viewer.kind !== 'anonymous'
  useEffect(() => {
    if (!isInside) wasInside.current = false
    if (isInside && !wasInside.current) {
      setRegistered(true)
      void onDone(toPagePath('app'))
    }
  }, [isInside, onDone])
  if (isRegistered) return null
  if (isInside) return <AlreadyInside session={session} onGoOn={() => void onDone(toPagePath('app'))} />
  if (!session.hasAccounts) return <Notice tone="warn">{t('invite.noAccounts')}</Notice>
  return <CheckedInvite code={code} session={session} />
}

function CheckedInvite({ code, session }: { readonly code: string; readonly session: Session }) {
  const { t } = useTranslation('sign-in')
  const check = useQuery(inviteQuery(code))
  const others = session.providers.filter((provider) => provider !== 'local')
  const toSignIn = () => location.assign(toPagePath('login'))
  return (
    <QueryView query={check} lines={4} height={48}>
      {(isValid) =>
        isValid ? (
          <div className="stack">
            <p className="muted">{t('invite.about')}</p>
            {session.providers.includes('local') && (
              <RegisterForm mode={session.registrationMode} inviteCode={code} onSignIn={toSignIn} />
            )}
            <ProviderLinks providers={others} inviteCode={code} />
          </div>
        ) : (
          <Notice tone="bad" actions={<Button onClick={toSignIn}>{t('toSignIn')}</Button>}>
            {t('failure.invalid_invite')}
          </Notice>
        )
      }
    </QueryView>
  )
}

/** An invite is for people without an account. */
function AlreadyInside({ session, onGoOn }: { readonly session: Session; readonly onGoOn: () => void }) {
  const { t } = useTranslation('sign-in')
  const leaving = useMutation({ mutationFn: () => endSession(async () => {}) })
  const { viewer } = session
  return (
    <Notice
      actions={
        <>
          <Button kind="primary" onClick={onGoOn}>
            {t('invite.goOn')}
          </Button>
          {viewer.kind !== 'open' && (
            <Button busy={leaving.isPending} onClick={() => leaving.mutate()}>
              {t('signOut')}
            </Button>
          )}
        </>
      }
    >
      {viewer.kind === 'open' ? t('invite.open') : t('invite.inside', { name: viewer.name || viewer.email })}
    </Notice>
  )
}
