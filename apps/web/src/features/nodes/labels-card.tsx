import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { TextField } from '../../components/ui/field.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import type { Worker } from '../../lib/workers.ts'
import { addLabel, removeLabel } from './api.ts'
import * as styles from './nodes.module.css'
import { isFixedLabel, listOwnLabels, writeLabel } from './worker-figures.ts'

/** The labels of a worker, which rules choose by. */
export function LabelsCard({ worker }: { readonly worker: Worker }) {
  const { t } = useTranslation('nodes')
  const isOffline = useConnection().state === 'offline'
  const labels = listOwnLabels(worker)
  const fixed = Object.entries(worker.labels).filter(([key]) => isFixedLabel(key))
  const removal = useMutation({
    mutationFn: (key: string) => removeLabel(worker.id, key),
    onSuccess: (isGone, key) => isGone || notify('error', t('labelStays', { key })),
    onError: (error) => notify('error', error.message),
  })
  return (
    <section className="card" aria-labelledby="worker-labels">
      <header>
        <h2 id="worker-labels">{t('labels')}</h2>
      </header>
      <div className="cardBody stack">
        {labels.length === 0 ? (
          <p className="muted">{t('noLabels')}</p>
        ) : (
          <ul className={styles.labelList}>
            {labels.map((label) => (
              <li key={label[0]}>
                <code>{writeLabel(label)}</code>
                <IconButton
                  small
                  icon="x"
                  label={t('removeLabel', { label: label[0] })}
                  disabled={isOffline || removal.isPending}
                  onClick={() => removal.mutate(label[0])}
                />
              </li>
            ))}
          </ul>
        )}
        <NewLabel id={worker.id} />
        {fixed.length > 0 && (
          <details>
            <summary className="meta">{t('fixedLabels')}</summary>
            <ul className={styles.labelList}>
              {fixed.map((label) => (
                <li key={label[0]}>
                  <code>{writeLabel(label)}</code>
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </section>
  )
}

function NewLabel({ id }: { readonly id: string }) {
  const { t } = useTranslation('nodes')
  const isOffline = useConnection().state === 'offline'
  const [label, setLabel] = useState({ key: '', value: '' })
  const adding = useMutation({
    mutationFn: () => addLabel(id, label.key.trim(), label.value.trim()),
    onSuccess: () => setLabel({ key: '', value: '' }),
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (!adding.isPending) adding.mutate()
  }
  return (
    <form className="stack tight" onSubmit={onSubmit}>
      <div className={styles.withButton}>
        <div className={styles.pair}>
          <TextField
            label={t('labelKey')}
            required
            autoComplete="off"
            spellCheck={false}
            maxLength={253}
            value={label.key}
            onChange={({ target }) => setLabel({ ...label, key: target.value })}
          />
          <TextField
            label={t('labelValue')}
            autoComplete="off"
            spellCheck={false}
            maxLength={256}
            value={label.value}
            onChange={({ target }) => setLabel({ ...label, value: target.value })}
          />
        </div>
        <Button type="submit" busy={adding.isPending} disabled={isOffline}>
          {t('addLabel')}
        </Button>
      </div>
      {adding.isError && <ErrorBlock error={adding.error} />}
    </form>
  )
}
