import { useMutation } from '@tanstack/react-query'
import { type ComponentProps, type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { TextField } from '../../components/ui/field.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { useConnection } from '../../lib/connection.ts'
import { formatBytes } from '../../lib/format.ts'
import type { Worker } from '../../lib/workers.ts'
import { setMaxReplicas, setVramBudget } from './api.ts'
import * as styles from './nodes.module.css'

/** Limits of a worker: those it says itself, or those that an administrator has set. */
export function LimitsCard({ worker }: { readonly worker: Worker }) {
  const { t } = useTranslation('nodes')
  const { id, max_replicas_per_model: replicas, vram_budget: budget = '', vram_budget_bytes: bytes } = worker
  return (
    <section className="card" aria-labelledby="worker-limits">
      <header>
        <h2 id="worker-limits">{t('limits')}</h2>
      </header>
      <div className="cardBody stack">
        <Limit
          label={t('maxReplicas')}
          saved={String(replicas)}
          isManual={worker.max_replicas_per_model_manually_set}
          field={{ type: 'number', min: 1, max: 10_000, required: true }}
          save={(text) => setMaxReplicas(id, text === undefined ? undefined : Number(text))}
        />
        <Limit
          label={t('vramBudget')}
          about={bytes === undefined ? t('vramBudgetHint') : t('vramBudgetIs', { bytes: formatBytes(bytes) })}
          saved={budget}
          isManual={worker.vram_budget_manually_set}
          field={{ maxLength: 32, required: true, placeholder: '80%', spellCheck: false }}
          save={(text) => setVramBudget(id, text)}
        />
      </div>
    </section>
  )
}

function Limit({
  label,
  about,
  saved,
  isManual,
  field,
  save,
}: {
  readonly label: string
  readonly about?: string
  readonly saved: string
  /** Whether an administrator has set it. */
  readonly isManual: boolean
  readonly field: ComponentProps<'input'>
  /** Saves a value; undefined leaves it to the worker. */
  readonly save: (text: string | undefined) => Promise<void>
}) {
  const { t } = useTranslation('nodes')
  const isOffline = useConnection().state === 'offline'
  const [draft, setDraft] = useState<string>()
  const text = draft ?? saved
  const saving = useMutation({ mutationFn: save, onSuccess: () => setDraft(undefined) })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (!saving.isPending) saving.mutate(text.trim())
  }
  const origin = t(isManual ? 'setHere' : 'setByWorker')
  return (
    <form className="stack tight" onSubmit={onSubmit}>
      <div className={styles.withButton}>
        <TextField
          label={label}
          hint={about === undefined ? origin : `${about} ${origin}`}
          autoComplete="off"
          {...field}
          value={text}
          onChange={({ target }) => setDraft(target.value)}
        />
        <Button type="submit" busy={saving.isPending} disabled={isOffline || text.trim() === saved}>
          {t('save')}
          <span className="visuallyHidden">{label}</span>
        </Button>
      </div>
      {isManual && (
        <Button
          small
          kind="ghost"
          className={`${styles.reset}`}
          disabled={isOffline || saving.isPending}
          onClick={() => saving.mutate(undefined)}
        >
          {t('reset')}
          <span className="visuallyHidden">{label}</span>
        </Button>
      )}
      {saving.isError && <ErrorBlock error={saving.error} />}
    </form>
  )
}
