import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { InstallProgress } from '../../components/operations/install-button.tsx'
import { RemoveDialog } from '../../components/operations/remove-dialog.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Badge } from '../../components/ui/status.tsx'
import { useConnection } from '../../lib/connection.ts'
import { findActiveOperation } from '../../lib/operations/operation.ts'
import { useOperationAction } from '../../lib/operations/operation-actions.ts'
import { operationsQuery } from '../../lib/operations/operation-queries.ts'
import type { InstalledBackend } from './installed-backends.ts'

/** Installed backends with the actions on them. @param chosen name of the marked one */
export function InstalledTable({
  backends,
  chosen,
}: {
  readonly backends: readonly InstalledBackend[]
  readonly chosen: string | undefined
}) {
  const { t } = useTranslation('backends')
  return (
    <div className="card">
      <table className="table stacked">
        <thead>
          <tr>
            <th scope="col">{t('column.name')}</th>
            <th scope="col">{t('column.version')}</th>
            <th scope="col">{t('column.origin')}</th>
            <th scope="col">
              <span className="visuallyHidden">{t('column.action')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {backends.map((backend) => (
            <Row key={backend.name} backend={backend} isChosen={backend.name === chosen} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ backend, isChosen }: { readonly backend: InstalledBackend; readonly isChosen: boolean }) {
  const { t } = useTranslation('backends')
  const { name, version, isMeta, isSystem, availableVersion, facts } = backend
  return (
    <tr aria-selected={isChosen || undefined}>
      <td className="mainCell wideCell">
        <span className="medium">{name}</span> {isMeta && <Badge>{t('meta')}</Badge>}
        {facts.length > 0 && (
          <details>
            <summary className="meta">{t('details')}</summary>
            <dl className="facts">
              {facts.map(([fact, text]) => (
                <div key={fact} className="factRow">
                  <dt>{fact}</dt>
                  <dd>{text}</dd>
                </div>
              ))}
            </dl>
          </details>
        )}
      </td>
      <td className="freeCell minorCell">
        {version || t('unknownVersion')}{' '}
        {availableVersion !== undefined && (
          <Badge tone="info">
            {availableVersion === '' ? t('newer') : t('newerVersion', { version: availableVersion })}
          </Badge>
        )}
      </td>
      <td className="freeCell minorCell">{t(isSystem ? 'state.system' : 'state.user')}</td>
      <td className="number freeCell endCell">
        <RowActions backend={backend} />
      </td>
    </tr>
  )
}

function RowActions({ backend: { name, isSystem, availableVersion } }: { readonly backend: InstalledBackend }) {
  const { t } = useTranslation('backends')
  const { mutate, isPending } = useOperationAction()
  const isOffline = useConnection().state === 'offline'
  const operations = useQuery(operationsQuery).data
  const operation = findActiveOperation(operations, { kind: 'backend', name })
  const [isRemoving, setRemoving] = useState(false)
  if (operation !== undefined) return <InstallProgress operation={operation} isSmall />
  if (isSystem) return <span className="meta">{t('ofSystem')}</span>
  return (
    <>
      {availableVersion !== undefined && (
        <Button small disabled={isPending || isOffline} onClick={() => mutate({ do: 'upgrade', name })}>
          {t('upgrade')}
        </Button>
      )}
      <Button small kind="ghost" disabled={isOffline} onClick={() => setRemoving(true)}>
        {t('remove')}
      </Button>
      {isRemoving && <RemoveDialog kind="backend" name={name} onClose={() => setRemoving(false)} />}
    </>
  )
}
