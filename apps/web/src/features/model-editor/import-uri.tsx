import { useMutation } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { SelectField, TextField } from '../../components/ui/field.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { useConnection } from '../../lib/connection.ts'
import { HubSearch } from './hub-search.tsx'
import { importUri } from './import-api.ts'
import * as styles from './model-editor.module.css'

const route = getRouteApi('/app/models/new')

/** Installs the model behind an address. If several backends could run it, the server asks for one. */
export function ImportUri() {
  const { t } = useTranslation('model-editor')
  const { uri: given = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const isOffline = useConnection().state === 'offline'
  const [uri, setUri] = useState(given)
  const [name, setName] = useState('')
  const [quantizations, setQuantizations] = useState('')
  const [backend, setBackend] = useState('')
  const start = useMutation({
    mutationFn: importUri,
    onSuccess(answer) {
      if (answer.kind === 'ambiguous') return setBackend(answer.candidates[0] ?? '')
      return void navigate({ to: '/app/activity' })
    },
  })
  const question = start.data?.kind === 'ambiguous' ? start.data : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    start.mutate({ uri: uri.trim(), name: name.trim(), quantizations: quantizations.trim(), backend })
  }
  const take = (next: string) => {
    setUri(next)
    setBackend('')
    start.reset()
  }
  return (
    <div className={`stack ${styles.import}`}>
      <HubSearch onChoose={take} />
      <form className="stack" onSubmit={submit}>
        <TextField
          label={t('import.uri')}
          hint={t('import.uriAbout')}
          value={uri}
          required
          onChange={({ target }) => take(target.value)}
        />
        <TextField
          label={t('import.name')}
          hint={t('import.nameAbout')}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <TextField
          label={t('import.quantizations')}
          hint={t('import.quantizationsAbout')}
          value={quantizations}
          onChange={({ target }) => setQuantizations(target.value)}
        />
        {question !== undefined && (
          <>
            <Notice tone="warn">
              {t(question.candidates.length === 0 ? 'import.noBackend' : 'import.ambiguous', {
                modality: question.modality,
              })}
            </Notice>
            {question.candidates.length === 0 ? (
              <TextField
                label={t('import.backend')}
                value={backend}
                required
                onChange={({ target }) => setBackend(target.value)}
              />
            ) : (
              <SelectField
                label={t('import.backend')}
                value={backend}
                options={question.candidates.map((candidate) => [candidate, candidate] as const)}
                onChange={({ target }) => setBackend(target.value)}
              />
            )}
          </>
        )}
        {start.isError && <ErrorBlock error={start.error} />}
        <div>
          <Button kind="primary" type="submit" busy={start.isPending} disabled={isOffline || uri.trim() === ''}>
            {t('import.start')}
          </Button>
        </div>
      </form>
    </div>
  )
}
