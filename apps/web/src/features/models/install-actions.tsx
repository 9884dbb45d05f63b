import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { InstallProgress } from '../../components/operations/install-button.tsx'
import { LastOutcome } from '../../components/operations/last-outcome.tsx'
import { RemoveDialog } from '../../components/operations/remove-dialog.tsx'
import { Button, buttonClass } from '../../components/ui/button.tsx'
import { useConnection } from '../../lib/connection.ts'
import { findActiveOperation } from '../../lib/operations/operation.ts'
import { useOperationAction } from '../../lib/operations/operation-actions.ts'
import { operationsQuery } from '../../lib/operations/operation-queries.ts'
import type { GalleryModel } from './api.ts'

/** The button that installs a model. During the installation its progress is shown instead. */
export function InstallActions({ model }: { readonly model: GalleryModel }) {
  const { t } = useTranslation('models')
  const { id, name, installed } = model
  const { mutate, isPending } = useOperationAction()
  const isOffline = useConnection().state === 'offline'
  const operations = useQuery(operationsQuery).data
  const operation = findActiveOperation(operations, { kind: 'model', name: id })
  const [isRemoving, setRemoving] = useState(false)
  if (operation !== undefined) return <InstallProgress operation={operation} />
  if (!installed)
    return (
      <>
        <div className="row wrap">
          <Button
            kind="primary"
            busy={isPending}
            disabled={isOffline}
            onClick={() => mutate({ do: 'install', kind: 'model', id })}
          >
            {t('install')}
          </Button>
          {model.has_variants && <span className="meta">{t('installsBest')}</span>}
        </div>
        <LastOutcome kind="model" name={id} />
      </>
    )
  return (
    <div className="row wrap">
      <Link className={buttonClass('primary')} to={`/app/chat/${encodeURIComponent(name)}` as '/app'}>
        {t('openInChat')}
      </Link>
      <Link className={buttonClass()} to="/app/models/$name" params={{ name }}>
        {t('configure')}
      </Link>
      <Button disabled={isOffline} onClick={() => setRemoving(true)}>
        {t('remove')}
      </Button>
      {isRemoving && <RemoveDialog kind="model" name={name} onClose={() => setRemoving(false)} />}
    </div>
  )
}
