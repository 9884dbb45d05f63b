import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { DeleteDialog } from '../../components/agents/delete-dialog.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { TextField } from '../../components/ui/field.tsx'
import { EmptyState, ErrorBlock, QueryView } from '../../components/ui/states.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { useConnection } from '../../lib/connection.ts'
import { formatDuration } from '../../lib/format.ts'
import { addSource, deleteSource, type Source, sourcesQuery } from './api.ts'
import * as styles from './collections.module.css'

const MINUTE_MS = 60_000

/** The addresses that a collection fetches, now and again. */
export function SourcesView({ name }: { readonly name: string }) {
  const { t } = useTranslation('collections')
  const sources = useQuery(sourcesQuery(name))
  const [doomed, setDoomed] = useState<string>()
  return (
    <>
      <NewSource name={name} />
      <QueryView query={sources} lines={3}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="globe" title={t('noSources')}>
              {t('noSourcesAbout')}
            </EmptyState>
          ) : (
            <SourceTable sources={list} onDelete={setDoomed} />
          )
        }
      </QueryView>
      {doomed !== undefined && (
        <DeleteDialog
          title={t('deleteSource')}
          action={t('delete')}
          done={t('sourceDeleted')}
          remove={() => deleteSource(name, doomed)}
          onClose={() => setDoomed(undefined)}
        >
          {t('deleteSourceAbout', { url: doomed })}
        </DeleteDialog>
      )}
    </>
  )
}

function NewSource({ name }: { readonly name: string }) {
  const { t } = useTranslation('collections')
  const isOffline = useConnection().state === 'offline'
  const [url, setUrl] = useState('')
  const [minutes, setMinutes] = useState('60')
  const add = useMutation({
    mutationFn: () => addSource(name, url.trim(), Number(minutes)),
    onSuccess: () => setUrl(''),
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate()
  }
  return (
    <form className="stack" onSubmit={onSubmit}>
      <div className={styles.search}>
        <TextField
          label={t('sourceUrl')}
          type="url"
          required
          pattern="https?://.+"
          maxLength={512}
          autoComplete="off"
          value={url}
          onChange={({ target }) => setUrl(target.value)}
        />
        <TextField
          label={t('interval')}
          type="number"
          required
          min={1}
          max={525_600}
          step={1}
          value={minutes}
          onChange={({ target }) => setMinutes(target.value)}
        />
        <Button type="submit" kind="primary" busy={add.isPending} disabled={isOffline}>
          {t('addSource')}
        </Button>
      </div>
      {add.isError && <ErrorBlock error={add.error} />}
    </form>
  )
}

function SourceTable({
  sources,
  onDelete,
}: {
  readonly sources: readonly Source[]
  readonly onDelete: (url: string) => void
}) {
  const { t } = useTranslation('collections')
  const isOffline = useConnection().state === 'offline'
  return (
    <table className={`table stacked ${styles.sources}`}>
      <thead>
        <tr>
          <th scope="col">{t('address')}</th>
          <th scope="col">{t('every')}</th>
          <th scope="col">{t('lastFetch')}</th>
          <th scope="col">
            <span className="visuallyHidden">{t('actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {sources.map(({ url, update_interval: every, last_update: last, error }) => (
          <tr key={url}>
            <td className="mainCell">
              <p className="medium clip">{url}</p>
              {error !== undefined && error !== '' && <p className={`meta ${styles.error}`}>{error}</p>}
            </td>
            <td className="minorCell">{formatDuration(every * MINUTE_MS)}</td>
            <td className="minorCell">{Number.isNaN(Date.parse(last)) ? t('never') : <RelativeTime time={last} />}</td>
            <td className="endCell number">
              <IconButton
                small
                icon="trash"
                label={t('deleteNamed', { name: url })}
                disabled={isOffline}
                onClick={() => onDelete(url)}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
