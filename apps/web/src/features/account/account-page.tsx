import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/dialog.tsx'
import { TextField } from '../../components/ui/field.tsx'
import { SignOutDialog } from '../../components/ui/sign-out-dialog.tsx'
import { ErrorBlock, QueryView } from '../../components/ui/states.tsx'
import { Badge } from '../../components/ui/status.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import { useSession } from '../../lib/session.ts'
import * as styles from './account.module.css'
import { AccountHead } from './account-head.tsx'
import { endOtherSessions, meQuery, useRename } from './api.ts'
import { OwnLimits } from './own-limits.tsx'
import { PasswordCard } from './password-card.tsx'
import { QuotaList } from './quota-list.tsx'

/** Profile, password and sessions of the viewer. */
export function AccountPage() {
  const { t } = useTranslation('account')
  const { viewer, providers } = useSession()
  const me = useQuery(meQuery)
  const hasPassword = viewer.provider === 'local' && providers.includes('local')
  return (
    <>
      <AccountHead title={t('nav.account')} />
      <div className={`page ${styles.cards}`}>
        <ProfileCard />
        {hasPassword && <PasswordCard />}
        <SessionsCard />
        <section className="card" aria-labelledby="account-quotas">
          <header>
            <h2 id="account-quotas">{t('quotas.title')}</h2>
          </header>
          <div className="cardBody">
            <QueryView query={me} lines={2}>
              {({ quotas }) => <QuotaList quotas={quotas} />}
            </QueryView>
          </div>
        </section>
        <OwnLimits />
      </div>
    </>
  )
}

function ProfileCard() {
  const { t } = useTranslation('account')
  const { viewer } = useSession()
  const { state } = useConnection()
  const [name, setName] = useState(viewer.name)
  const rename = useRename({
    onError: (error) => {
      setName(viewer.name)
      notify('error', t('profile.notRenamed', { message: error.message }))
    },
  })
  return (
    <section className="card" aria-labelledby="account-profile">
      <header>
        <h2 id="account-profile">{t('profile.title')}</h2>
      </header>
      <form
        className="cardBody stack"
        onSubmit={(event) => {
          event.preventDefault()
          rename.mutate(name.trim())
        }}
      >
        <TextField
          label={t('profile.name')}
          autoComplete="name"
          required
          maxLength={200}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <dl className="facts">
          <dt>{t('profile.email')}</dt>
          <dd>{viewer.email}</dd>
          <dt>{t('profile.role')}</dt>
          <dd>
            <Badge tone={viewer.isAdmin ? 'acc' : ''}>{viewer.isAdmin ? t('role.admin') : t('role.user')}</Badge>
          </dd>
          <dt>{t('profile.provider')}</dt>
          <dd>{t(`provider.${viewer.provider}`, { defaultValue: viewer.provider })}</dd>
        </dl>
        <div>
          <Button type="submit" kind="primary" disabled={name.trim() === viewer.name || state === 'offline'}>
            {t('profile.save')}
          </Button>
        </div>
      </form>
    </section>
  )
}

function SessionsCard() {
  const { t } = useTranslation('account')
  const { state } = useConnection()
  const [isAsking, setAsking] = useState(false)
  const ending = useMutation({
    mutationFn: endOtherSessions,
    onSuccess: () => {
      setAsking(false)
      notify('success', t('sessions.ended'))
    },
  })
  const [isLeaving, setLeaving] = useState(false)
  const isOffline = state === 'offline'
  return (
    <section className="card" aria-labelledby="account-sessions">
      <header>
        <h2 id="account-sessions">{t('sessions.title')}</h2>
      </header>
      <div className="cardBody stack">
        <p className="muted">{t('sessions.about')}</p>
        <div className="row wrap">
          <Button disabled={isOffline} onClick={() => setAsking(true)}>
            {t('sessions.end')}
          </Button>
          <Button icon="logout" disabled={isOffline} onClick={() => setLeaving(true)}>
            {t('signOut')}
          </Button>
        </div>
      </div>
      {isLeaving && <SignOutDialog onClose={() => setLeaving(false)} />}
      {isAsking && (
        <ConfirmDialog
          title={t('sessions.end')}
          action={t('sessions.confirm')}
          busy={ending.isPending}
          error={ending.isError && <ErrorBlock error={ending.error} />}
          onConfirm={() => ending.mutate()}
          onClose={() => setAsking(false)}
        >
          {t('sessions.ask')}
        </ConfirmDialog>
      )}
    </section>
  )
}
