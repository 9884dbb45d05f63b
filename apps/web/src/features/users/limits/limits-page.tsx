import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { LimitMeters } from '../../../components/limits/limit-meters.tsx'
import { sayWindow } from '../../../components/limits/limit-words.ts'
import * as styles from '../../../components/limits/limits.module.css'
import { Button, IconButton } from '../../../components/ui/button.tsx'
import { ConfirmDialog } from '../../../components/ui/dialog.tsx'
import { EmptyState, ErrorBlock, QueryView } from '../../../components/ui/states.tsx'
import { Badge } from '../../../components/ui/status.tsx'
import { useConnection } from '../../../lib/connection.ts'
import { type Limit, limitsQuery, removeLimit } from '../../../lib/limits.ts'
import { useSession } from '../../../lib/session.ts'
import { UsersFrame } from '../users-head.tsx'
import { LimitDialog } from './limit-dialog.tsx'
import { type Subjects, useSubjects } from './use-subjects.ts'

type Chosen = { readonly what: 'edit' | 'remove'; readonly limit: Limit } | { readonly what: 'add' }

/** Limits and budgets of accounts, keys, groups, models and end users. */
export function LimitsPage() {
  const { t } = useTranslation('limits')
  const { state } = useConnection()
  const { hasAccounts } = useSession()
  const limits = useQuery({ ...limitsQuery, enabled: hasAccounts })
  const subjects = useSubjects()
  const [chosen, choose] = useState<Chosen>()
  const close = () => choose(undefined)
  const add = (
    <Button kind="primary" icon="plus" disabled={state === 'offline'} onClick={() => choose({ what: 'add' })}>
      {t('add')}
    </Button>
  )
  return (
    <UsersFrame title={t('title')} action={add}>
      <p className="muted">{t('about')}</p>
      <QueryView query={limits} lines={5}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="gauge" title={t('none')} action={add}>
              {t('noneAbout')}
            </EmptyState>
          ) : (
            <LimitTable limits={list} subjects={subjects} onChoose={choose} />
          )
        }
      </QueryView>
      {(chosen?.what === 'add' || chosen?.what === 'edit') && (
        <LimitDialog limit={chosen.what === 'edit' ? chosen.limit : undefined} subjects={subjects} onClose={close} />
      )}
      {chosen?.what === 'remove' && (
        <RemoveDialog limit={chosen.limit} name={subjects.say(chosen.limit)} onClose={close} />
      )}
    </UsersFrame>
  )
}

function LimitTable({
  limits,
  subjects,
  onChoose,
}: {
  readonly limits: readonly Limit[]
  readonly subjects: Subjects
  readonly onChoose: (chosen: Chosen) => void
}) {
  const { t } = useTranslation('limits')
  const { state } = useConnection()
  return (
    <table className="table stacked" aria-label={t('title')}>
      <thead>
        <tr>
          <th scope="col">{t('who')}</th>
          <th scope="col">{t('window')}</th>
          <th scope="col">{t('usedHead')}</th>
          <th scope="col">
            <span className="visuallyHidden">{t('actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {limits.map((limit) => {
          const name = subjects.say(limit)
          return (
            <tr key={limit.id}>
              <td className="mainCell">
                <LimitSubject limit={limit} name={name} />
              </td>
              <td className="freeCell">{sayWindow(t, limit.window)}</td>
              <td className="freeCell">
                <LimitMeters limit={limit} />
              </td>
              <td className="endCell number">
                <IconButton
                  small
                  icon="edit"
                  label={t('editNamed', { name })}
                  disabled={state === 'offline'}
                  onClick={() => onChoose({ what: 'edit', limit })}
                />
                <IconButton
                  small
                  icon="trash"
                  label={t('removeNamed', { name })}
                  disabled={state === 'offline'}
                  onClick={() => onChoose({ what: 'remove', limit })}
                />
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function LimitSubject({ limit, name }: { readonly limit: Limit; readonly name: string }) {
  const { t } = useTranslation('limits')
  return (
    <div className={styles.subject}>
      <span className="medium">{name}</span>
      <span className="meta">
        {t(`subject.${limit.subject_kind}`)}
        {limit.model !== '' && ` · ${limit.model}`}
      </span>
      <span className="row wrap">
        <Badge tone={limit.soft ? 'info' : 'acc'}>{t(limit.soft ? 'isSoft' : 'isHard')}</Badge>
        {!limit.enabled && <Badge tone="">{t('isOff')}</Badge>}
      </span>
      {limit.note !== '' && <span className="meta">{limit.note}</span>}
    </div>
  )
}

function RemoveDialog({
  limit,
  name,
  onClose,
}: {
  readonly limit: Limit
  readonly name: string
  readonly onClose: () => void
}) {
  const { t } = useTranslation('limits')
  const remove = useMutation({ mutationFn: () => removeLimit(limit.id), onSuccess: onClose })
  return (
    <ConfirmDialog
      title={t('removeNamed', { name })}
      action={t('remove')}
      busy={remove.isPending}
      error={remove.isError && <ErrorBlock error={remove.error} />}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {t('removeAbout')}
    </ConfirmDialog>
  )
}
