import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { DeleteDialog } from '../../components/agents/delete-dialog.tsx'
import { Button } from '../../components/ui/button.tsx'
import { RowMenu } from '../../components/ui/menu.tsx'
import { EmptyState, QueryView } from '../../components/ui/states.tsx'
import { Status } from '../../components/ui/status.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { useConnection } from '../../lib/connection.ts'
import { formatNumber } from '../../lib/format.ts'
import { deleteEntry, type Entry, emptyCollection, entriesQuery, findFile } from './api.ts'
import * as styles from './collections.module.css'
import { EntryDialog } from './entry-dialog.tsx'
import { Upload } from './upload.tsx'

/** What is to be deleted: one document by its name, or all. */
type Doomed = { readonly entry: string | undefined }

/** The documents of a collection. */
export function EntriesView({ name }: { readonly name: string }) {
  const { t } = useTranslation('collections')
  const isOffline = useConnection().state === 'offline'
  const entries = useQuery(entriesQuery(name))
  const [shown, setShown] = useState<string>()
  const [doomed, setDoomed] = useState<Doomed>()
  const count = entries.data?.length ?? 0
  return (
    <>
      <div className="row wrap">
        <Upload name={name} isUsable={entries.data !== undefined} />
        {count > 0 && (
          <Button icon="trash" disabled={isOffline} onClick={() => setDoomed({ entry: undefined })}>
            {t('deleteAll')}
          </Button>
        )}
      </div>
      <QueryView query={entries} lines={5}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="file" title={t('noEntries')}>
              {t('noEntriesAbout')}
            </EmptyState>
          ) : (
            <EntryTable {...{ name, list }} onShow={setShown} onDelete={(entry) => setDoomed({ entry })} />
          )
        }
      </QueryView>
      {shown !== undefined && <EntryDialog name={name} entry={shown} onClose={() => setShown(undefined)} />}
      {doomed !== undefined && (
        <DeleteDialog
          title={doomed.entry === undefined ? t('deleteAll') : t('deleteNamed', { name: doomed.entry })}
          action={t('delete')}
          done={doomed.entry === undefined ? t('deletedAll') : t('deleted', { name: doomed.entry })}
          remove={() => (doomed.entry === undefined ? emptyCollection(name) : deleteEntry(name, doomed.entry))}
          onClose={() => setDoomed(undefined)}
        >
          {doomed.entry === undefined ? t('deleteAllAbout', { count }) : t('deleteEntryAbout')}
        </DeleteDialog>
      )}
    </>
  )
}

function EntryTable({
  name,
  list,
  ...actions
}: {
  readonly name: string
  readonly list: readonly Entry[]
  readonly onShow: (entry: string) => void
  readonly onDelete: (entry: string) => void
}) {
  const { t } = useTranslation('collections')
  return (
    <table className={`table stacked ${styles.entries}`}>
      <thead>
        <tr>
          <th scope="col">{t('document')}</th>
          <th scope="col">{t('state')}</th>
          <th scope="col" className="number">
            {t('chunks')}
          </th>
          <th scope="col">{t('added')}</th>
          <th scope="col">
            <span className="visuallyHidden">{t('actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {list.map((entry) => (
          <EntryRow key={entry.entry} name={name} entry={entry} {...actions} />
        ))}
      </tbody>
    </table>
  )
}

const TONES = { in_progress: 'run', completed: 'ok', failed: 'bad', cancelled: 'warn' } as const

function EntryRow({
  name,
  entry: { entry, status, error, chunk_count: chunks, created_at: added, source_url: source },
  onShow,
  onDelete,
}: {
  readonly name: string
  readonly entry: Entry
  readonly onShow: (entry: string) => void
  readonly onDelete: (entry: string) => void
}) {
  const { t } = useTranslation('collections')
  const isOffline = useConnection().state === 'offline'
  return (
    <tr>
      <td className="mainCell">
        <p className="medium clip">{entry}</p>
        {error !== undefined && error !== '' && <p className={`meta ${styles.error}`}>{error}</p>}
        {source !== undefined && <p className="meta clip">{source}</p>}
      </td>
      <td className="minorCell">
        <Status tone={TONES[status]}>{t(`entryState.${status}`)}</Status>
      </td>
      <td className="minorCell number">
        <span className="stackedOnly">{t('chunks')} </span>
        {formatNumber(chunks)}
      </td>
      <td className="minorCell">
        <RelativeTime time={added} />
      </td>
      <td className="endCell number">
        <RowMenu
          label={t('actionsNamed', { name: entry })}
          entries={[
            {
              id: 'text',
              text: t('showText'),
              icon: 'file',
              isDisabled: status !== 'completed',
              onSelect: () => onShow(entry),
            },
            {
              id: 'download',
              text: t('download'),
              icon: 'activity',
              onSelect: () => window.location.assign(findFile(name, entry)),
            },
            {
              id: 'delete',
              text: t('delete'),
              icon: 'trash',
              isDangerous: true,
              isDisabled: isOffline,
              separator: true,
              onSelect: () => onDelete(entry),
            },
          ]}
        />
      </td>
    </tr>
  )
}
