import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { TextField } from '../../components/ui/field.tsx'
import { ProgressBar } from '../../components/ui/progress-bar.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import { formatBytes, formatPercent } from '../../lib/format.ts'
import { endSending, type SentFile, startSending } from './sent-file.ts'

const route = getRouteApi('/app/models/new')

/** A chosen file of weights: its name as a model, and the start. */
export function SendForm({ file, onCancel }: { readonly file: File; readonly onCancel: () => void }) {
  const { t } = useTranslation('model-editor')
  const navigate = route.useNavigate()
  const isOffline = useConnection().state === 'offline'
  const [name, setName] = useState(nameModel(file.name))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void startSending(file, name.trim(), (model) => {
      if (model === undefined) return notify('error', t('send.failed', { name: file.name }))
      endSending()
      notify('success', t('send.done', { name: model }))
      // only for somebody who still waits here
      if (!location.pathname.endsWith('/app/models/new')) return undefined
      return void navigate({ to: '/app/models', search: { view: 'installed', model } })
    })
  }
  return (
    <form className="card" onSubmit={submit}>
      <div className="cardBody stack">
        <p className="muted">{t('send.chosen', { name: file.name, size: formatBytes(file.size) })}</p>
        <TextField label={t('send.name')} value={name} required onChange={({ target }) => setName(target.value)} />
        <div className="row">
          <Button kind="primary" type="submit" disabled={isOffline || name.trim() === ''}>
            {t('send.start')}
          </Button>
          <Button onClick={onCancel}>{t('common:cancel')}</Button>
        </div>
      </div>
    </form>
  )
}

/** A file on its way. */
export function SendProgress({ sent }: { readonly sent: SentFile }) {
  const { t } = useTranslation('model-editor')
  const { file, sentBytes, error } = sent
  const share = file.size === 0 ? 1 : sentBytes / file.size
  const text = t('send.progress', {
    percent: formatPercent(share),
    sent: formatBytes(sentBytes),
    total: formatBytes(file.size),
  })
  return (
    <section className="card" aria-label={t('send.title', { name: file.name })}>
      <div className="cardBody stack">
        <b>{t('send.title', { name: file.name })}</b>
        {error === undefined ? (
          <>
            <ProgressBar share={share} label={file.name} text={text} />
            <p className="meta">{sentBytes === file.size ? t('send.checking') : text}</p>
          </>
        ) : (
          <ErrorBlock error={error} />
        )}
        <div className="row">
          <Button onClick={endSending}>{error === undefined ? t('common:cancel') : t('send.other')}</Button>
        </div>
      </div>
    </section>
  )
}

/** The name that the server gives a model after its file. */
function nameModel(file: string): string {
  return file.replace(/\.gguf$/i, '').replaceAll(/\s+/g, '-')
}
