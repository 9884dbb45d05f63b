import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/dialog.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { EmptyState, ErrorBlock, QueryView } from '../../components/ui/states.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import { formatBytes } from '../../lib/format.ts'
import * as styles from './models.module.css'
import { describePruned } from './pruned-news.ts'
import { type UnusedFile, type UnusedFiles, unusedQuery, usePrune } from './unused-api.ts'

/** Files of the models folder that no model needs, and their deletion. */
export function UnusedView() {
  const unused = useQuery(unusedQuery)
  const [chosen, setChosen] = useState<readonly UnusedFile[]>()
  return (
    <>
      <QueryView query={unused} lines={4} height={44}>
        {(data) => <Contents unused={data} onDelete={setChosen} />}
      </QueryView>
      {chosen && <DeleteDialog files={chosen} onClose={() => setChosen(undefined)} />}
    </>
  )
}

function Contents({
  unused,
  onDelete,
}: {
  readonly unused: UnusedFiles
  readonly onDelete: (files: readonly UnusedFile[]) => void
}) {
  const { t } = useTranslation('models')
  const isOffline = useConnection().state === 'offline'
  const { files, installing, selected_bytes } = unused
  const selected = files.filter((file) => file.selected)
  return (
    <div className="stack">
      {installing.length > 0 && <Notice>{t('unused.installing', { names: installing.join(', ') })}</Notice>}
      {files.length === 0 ? (
        <EmptyState icon="cube" title={t('unused.nothing')}>
          {t('unused.nothingAbout')}
        </EmptyState>
      ) : (
        <>
          {selected.length > 0 && (
            <div className="row wrap">
              <span>{t('unused.sum', { bytes: formatBytes(selected_bytes) })}</span>
              <span className="push">
                <Button kind="danger" disabled={isOffline} onClick={() => onDelete(selected)}>
                  {t('unused.deleteAll')}
                </Button>
              </span>
            </div>
          )}
          <UnusedTable files={files} onDelete={(file) => onDelete([file])} />
        </>
      )}
    </div>
  )
}

function UnusedTable({
  files,
  onDelete,
}: {
  readonly files: readonly UnusedFile[]
  readonly onDelete: (file: UnusedFile) => void
}) {
  const { t } = useTranslation('models')
  const isOffline = useConnection().state === 'offline'
  return (
    <div className="card">
      <table className={`table stacked ${styles.wideTable}`}>
        <thead>
          <tr>
            <th scope="col">{t('unused.file')}</th>
            <th scope="col">{t('unused.kindOf')}</th>
            <th scope="col" className="number">
              {t('unused.size')}
            </th>
            <th scope="col">{t('unused.changed')}</th>
            <th scope="col">
              <span className="visuallyHidden">{t('unused.action')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {files.map((file) => (
            <tr key={file.file}>
              <td className="mainCell">
                <span className={`monospace medium ${styles.name}`}>{file.file}</span>
              </td>
              <td className="freeCell minorCell">{t(`unused.kind.${file.kind}`)}</td>
              <td className="number freeCell minorCell">{formatBytes(file.size_bytes)}</td>
              <td className="freeCell minorCell">
                <RelativeTime time={file.modified_at} />
              </td>
              <td className="number freeCell endCell">
                <Button small disabled={isOffline} onClick={() => onDelete(file)}>
                  {t('unused.delete')}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function DeleteDialog({ files, onClose }: { readonly files: readonly UnusedFile[]; readonly onClose: () => void }) {
  const { t } = useTranslation('models')
  const { mutate, isPending, error } = usePrune()
  const [only, another] = files
  const bytes = formatBytes(files.reduce((sum, file) => sum + file.size_bytes, 0))
  const confirm = () =>
    mutate(
      files.map(({ file }) => file),
      {
        onSuccess(pruned) {
          for (const { kind, text } of describePruned(pruned, t)) notify(kind, text)
          onClose()
        },
      },
    )
  return (
    <ConfirmDialog
      title={t('unused.confirmTitle')}
      action={t('unused.delete')}
      busy={isPending}
      error={error && <ErrorBlock error={error} />}
      onConfirm={confirm}
      onClose={onClose}
    >
      {another === undefined && <p className={`monospace ${styles.name}`}>{only?.file}</p>}
      <p>{t('unused.confirm', { count: files.length, bytes })}</p>
    </ConfirmDialog>
  )
}
