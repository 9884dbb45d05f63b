import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { InstallProgress } from '../../components/operations/install-button.tsx'
import { LastOutcome } from '../../components/operations/last-outcome.tsx'
import { RemoveDialog } from '../../components/operations/remove-dialog.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import * as listDetailStyles from '../../components/ui/list-detail.module.css'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import { EmptyState, Skeleton } from '../../components/ui/states.tsx'
import { Badge, LetterTile } from '../../components/ui/status.tsx'
import { useConnection } from '../../lib/connection.ts'
import { findActiveOperation } from '../../lib/operations/operation.ts'
import { useOperationAction } from '../../lib/operations/operation-actions.ts'
import { operationsQuery } from '../../lib/operations/operation-queries.ts'
import { toPlainText } from '../../lib/plain-text.ts'
import type { GalleryBackend } from './api.ts'

/** The details of a backend of a gallery. */
export function BackendDetail({
  id,
  backend,
  isKnown,
  onClose,
}: {
  readonly id: string | undefined
  readonly backend: GalleryBackend | undefined
  /** Whether the list is there. */
  readonly isKnown: boolean
  readonly onClose: () => void
}) {
  const { t } = useTranslation('backends')
  return (
    <ScrollRegion className={listDetailStyles.detail} aria-label={t('details')}>
      {backend !== undefined ? (
        <Detail backend={backend} onClose={onClose} />
      ) : id === undefined ? (
        <EmptyState icon="plug" title={t('choose')} />
      ) : isKnown ? (
        <EmptyState title={t('noSuchBackend')} action={<Button onClick={onClose}>{t('closeDetails')}</Button>}>
          {id}
        </EmptyState>
      ) : (
        <Skeleton lines={5} />
      )}
    </ScrollRegion>
  )
}

function Detail({ backend, onClose }: { readonly backend: GalleryBackend; readonly onClose: () => void }) {
  const { t } = useTranslation('backends')
  const { id, name, description, license, gallery, version, tags, isMeta, isDevelopment, metaBackendFor } = backend
  const facts = [id, license, t('galleryIs', { gallery }), version]
  const links = backend.urls.filter((url) => /^https?:\/\//.test(url))
  return (
    <div className={listDetailStyles.content}>
      <div className={`row ${listDetailStyles.heading}`}>
        <LetterTile name={name} large />
        <div className="grow">
          <h2 className={listDetailStyles.title}>{name}</h2>
          <p className="meta">{facts.filter((fact) => fact !== '').join(' · ')}</p>
        </div>
        <IconButton
          className={listDetailStyles.narrowOnly}
          small
          icon="x"
          label={t('closeDetails')}
          onClick={onClose}
        />
      </div>
      {description && <p className={`muted ${listDetailStyles.lead}`}>{toPlainText(description)}</p>}
      <div className="row wrap">
        {tags.map((tag) => (
          <Badge key={tag}>{tag}</Badge>
        ))}
        {isDevelopment && <Badge tone="warn">{t('developmentBuild')}</Badge>}
      </div>
      {isMeta && <p>{t(metaBackendFor === '' ? 'metaNone' : 'metaFor', { name: metaBackendFor })}</p>}
      <Actions backend={backend} />
      <LastOutcome kind="backend" name={id} />
      {links.length > 0 && (
        <ul className={listDetailStyles.links}>
          {links.map((url) => (
            <li key={url}>
              <a href={url} target="_blank" rel="noopener noreferrer">
                {url}
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Actions({ backend: { id, name, installed } }: { readonly backend: GalleryBackend }) {
  const { t } = useTranslation('backends')
  const { mutate, isPending } = useOperationAction()
  const isOffline = useConnection().state === 'offline'
  const operations = useQuery(operationsQuery).data
  const operation = findActiveOperation(operations, { kind: 'backend', name: id })
  const [isRemoving, setRemoving] = useState(false)
  if (operation !== undefined) return <InstallProgress operation={operation} />
  return (
    <div className="row wrap">
      <Button
        kind={installed ? 'plain' : 'primary'}
        busy={isPending}
        disabled={isOffline}
        onClick={() => mutate({ do: 'install', kind: 'backend', id })}
      >
        {t(installed ? 'reinstall' : 'install')}
      </Button>
      {installed && (
        <Button disabled={isOffline} onClick={() => setRemoving(true)}>
          {t('remove')}
        </Button>
      )}
      {isRemoving && <RemoveDialog kind="backend" name={name} onClose={() => setRemoving(false)} />}
    </div>
  )
}
