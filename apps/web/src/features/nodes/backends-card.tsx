import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/dialog.tsx'
import { ErrorBlock, QueryView } from '../../components/ui/states.tsx'
import { Badge } from '../../components/ui/status.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import { deleteBackend, upgradeBackend, type WorkerBackend, workerBackendsQuery } from './api.ts'
import { InstallDialog } from './install-dialog.tsx'

/** The backends of a worker. */
export function BackendsCard({ id }: { readonly id: string }) {
  const { t } = useTranslation('nodes')
  const isOffline = useConnection().state === 'offline'
  const backends = useQuery(workerBackendsQuery(id))
  const [isInstalling, setInstalling] = useState(false)
  const [doomed, setDoomed] = useState<string>()
  return (
    <section className="stack tight" aria-labelledby="worker-backends">
      <div className="row wrap">
        <h2 id="worker-backends">{t('backends')}</h2>
        <span className="push" />
        <Button icon="plus" disabled={isOffline} onClick={() => setInstalling(true)}>
          {t('install')}
        </Button>
      </div>
      <QueryView query={backends} lines={3}>
        {(list) =>
          list.length === 0 ? (
            <p className="muted">{t('noBackends')}</p>
          ) : (
            <BackendTable id={id} backends={list} onDelete={setDoomed} />
          )
        }
      </QueryView>
      {isInstalling && <InstallDialog id={id} onClose={() => setInstalling(false)} />}
      {doomed !== undefined && <DeleteDialog id={id} name={doomed} onClose={() => setDoomed(undefined)} />}
    </section>
  )
}

function BackendTable({
  id,
  backends,
  onDelete,
}: {
  readonly id: string
  readonly backends: readonly WorkerBackend[]
  readonly onDelete: (name: string) => void
}) {
  const { t } = useTranslation('nodes')
  return (
    <div className="card">
      <table className="table stacked">
        <thead>
          <tr>
            <th scope="col">{t('column.backend')}</th>
            <th scope="col">{t('column.version')}</th>
            <th scope="col">
              <span className="visuallyHidden">{t('column.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {backends.map((backend) => (
            <Row key={backend.name} id={id} backend={backend} onDelete={onDelete} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({
  id,
  backend: { name, version, is_meta, is_system },
  onDelete,
}: {
  readonly id: string
  readonly backend: WorkerBackend
  readonly onDelete: (name: string) => void
}) {
  const { t } = useTranslation('nodes')
  const isOffline = useConnection().state === 'offline'
  const upgrade = useMutation({
    mutationFn: () => upgradeBackend(id, name),
    onSuccess: () => notify('success', t('upgradeStarted', { name })),
    onError: (error) => notify('error', error.message),
  })
  return (
    <tr>
      <td className="mainCell wideCell">
        <span className="medium">{name}</span> {is_meta && <Badge>{t('meta')}</Badge>}
      </td>
      <td className="freeCell minorCell">{version || t('unknownVersion')}</td>
      <td className="number freeCell endCell">
        {is_system ? (
          <span className="meta">{t('ofSystem')}</span>
        ) : (
          <>
            <Button small kind="ghost" busy={upgrade.isPending} disabled={isOffline} onClick={() => upgrade.mutate()}>
              {t('upgrade')}
              <span className="visuallyHidden">{name}</span>
            </Button>
            <Button small kind="ghost" disabled={isOffline} onClick={() => onDelete(name)}>
              {t('delete')}
              <span className="visuallyHidden">{name}</span>
            </Button>
          </>
        )}
      </td>
    </tr>
  )
}

function DeleteDialog({
  id,
  name,
  onClose,
}: {
  readonly id: string
  readonly name: string
  readonly onClose: () => void
}) {
  const { t } = useTranslation('nodes')
  const removal = useMutation({
    mutationFn: () => deleteBackend(id, name),
    onSuccess() {
      onClose()
      notify('success', t('backendDeleted', { name }))
    },
  })
  return (
    <ConfirmDialog
      title={t('deleteBackend', { name })}
      action={t('delete')}
      busy={removal.isPending}
      error={removal.isError && <ErrorBlock error={removal.error} />}
      onConfirm={() => removal.mutate()}
      onClose={onClose}
    >
      <p>{t('deleteBackendAbout')}</p>
    </ConfirmDialog>
  )
}
