import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { SelectField, TextField } from '../../components/ui/field.tsx'
import { ErrorBlock, QueryView } from '../../components/ui/states.tsx'
import { useConnection } from '../../lib/connection.ts'
import { formatNumber } from '../../lib/format.ts'
import type { User } from '../../lib/users.ts'
import { type Quota, quotasQuery, useDeleteQuota, usePutQuota } from './api.ts'
import * as styles from './users.module.css'

const WINDOWS = ['1m', '5m', '1h', '6h', '1d', '7d', '30d']

/** The quotas of an account, and a form for one more. A quota for the same model takes the place of the old one. */
export function QuotasForm({ user, models }: { readonly user: User; readonly models: readonly string[] }) {
  const { t } = useTranslation('users')
  const quotas = useQuery(quotasQuery(user.id))
  return (
    <div className="stack">
      <QueryView query={quotas} lines={2}>
        {(list) =>
          list.length === 0 ? (
            <p>{t('quota.none')}</p>
          ) : (
            list.map((quota) => <QuotaRow key={quota.id} {...{ user, quota }} />)
          )
        }
      </QueryView>
      <NewQuota user={user} models={models} />
    </div>
  )
}

function QuotaRow({ user, quota }: { readonly user: User; readonly quota: Quota }) {
  const { t } = useTranslation('users')
  const { state } = useConnection()
  const removal = useDeleteQuota(user.id)
  const name = quota.model === '' ? t('quota.allModels') : quota.model
  const describe = (used: number, limit: number | null, unit: string) =>
    limit === null ? [] : [t(`quota.${unit}`, { used: formatNumber(used), limit: formatNumber(limit) })]
  const limits = [
    ...describe(quota.current_requests, quota.max_requests, 'requests'),
    ...describe(quota.current_total_tokens, quota.max_total_tokens, 'tokens'),
  ]
  return (
    <div>
      <div className="row">
        <span className="medium clip">{name}</span>
        <span className="meta">{t('quota.window', { window: quota.window })}</span>
        <span className="push" />
        <IconButton
          small
          icon="trash"
          label={t('quota.remove', { name })}
          disabled={state === 'offline'}
          onClick={() => removal.mutate(quota.id)}
        />
      </div>
      <p className="meta">{limits.join(' · ')}</p>
      {removal.isError && <ErrorBlock error={removal.error} />}
    </div>
  )
}

/** A whole number, or null for an empty field. */
const readLimit = (text: string): number | null => (text.trim() === '' ? null : Number(text))

function NewQuota({ user, models }: { readonly user: User; readonly models: readonly string[] }) {
  const { t } = useTranslation('users')
  const { state } = useConnection()
  const [model, setModel] = useState('')
  const [requests, setRequests] = useState('')
  const [tokens, setTokens] = useState('')
  const [window, setWindow] = useState('1d')
  const put = usePutQuota(user.id)
  const isEmpty = requests.trim() === '' && tokens.trim() === ''
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    put.mutate({ model, max_requests: readLimit(requests), max_total_tokens: readLimit(tokens), window })
  }
  const number = { type: 'number', min: 0, step: 1, inputMode: 'numeric' } as const
  return (
    <form className={`stack ${styles.quota}`} onSubmit={onSubmit}>
      <h3>{t('quota.add')}</h3>
      <SelectField
        label={t('quota.model')}
        options={[['', t('quota.allModels')], ...models.map((name) => [name, name] as const)]}
        value={model}
        onChange={({ target }) => setModel(target.value)}
      />
      <div className={styles.quotaLimits}>
        <TextField
          label={t('quota.maxRequests')}
          {...number}
          value={requests}
          onChange={({ target }) => setRequests(target.value)}
        />
        <TextField
          label={t('quota.maxTokens')}
          {...number}
          value={tokens}
          onChange={({ target }) => setTokens(target.value)}
        />
        <SelectField
          label={t('quota.windowLabel')}
          options={WINDOWS.map((value) => [value, t(`quota.windowName.${value}`)])}
          value={window}
          onChange={({ target }) => setWindow(target.value)}
        />
      </div>
      {put.isError && <ErrorBlock error={put.error} />}
      <div className="row">
        <Button type="submit" kind="primary" busy={put.isPending} disabled={isEmpty || state === 'offline'}>
          {t('quota.set')}
        </Button>
        {isEmpty && <span className="meta">{t('quota.needsLimit')}</span>}
      </div>
    </form>
  )
}
