import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { InstallProgress } from '../../components/operations/install-button.tsx'
import { LastOutcome } from '../../components/operations/last-outcome.tsx'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, QueryView } from '../../components/ui/states.tsx'
import { LetterTile } from '../../components/ui/status.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'
import { useConnection } from '../../lib/connection.ts'
import { formatBytes } from '../../lib/format.ts'
import { findActiveOperation } from '../../lib/operations/operation.ts'
import { useOperationAction } from '../../lib/operations/operation-actions.ts'
import { operationsQuery } from '../../lib/operations/operation-queries.ts'
import { toPlainText } from '../../lib/plain-text.ts'
import { useSession } from '../../lib/session.ts'
import { startersQuery } from './api.ts'
import type { Starter } from './find-starters.ts'
import * as styles from './home.module.css'
import { PageLink } from './page-link.tsx'

/** Shown in place of the composer while no model can chat. */
export function Starters() {
  const { t } = useTranslation('home')
  const { viewer } = useSession()
  const { model_gallery: hasGallery } = useCapabilities()
  const query = useQuery({ ...startersQuery, enabled: viewer.isAdmin && hasGallery })
  if (!viewer.isAdmin) {
    return (
      <EmptyState icon="cube" title={t('chat:noModel.title')}>
        {t('chat:noModel.user')}
      </EmptyState>
    )
  }
  const importLink = <PageLink to="models/new">{t('starters.import')}</PageLink>
  return (
    <section className="card">
      <header>
        <h2>{t('starters.title')}</h2>
        <span className="push row">{importLink}</span>
      </header>
      {hasGallery ? (
        <QueryView query={query} lines={3}>
          {(starters) =>
            starters.length === 0 ? (
              <EmptyState icon="cube" title={t('starters.none')}>
                {t('starters.noneAbout')}
              </EmptyState>
            ) : (
              <ul className={styles.rows}>
                {starters.map((starter) => (
                  <StarterRow key={starter.id} starter={starter} />
                ))}
              </ul>
            )
          }
        </QueryView>
      ) : (
        <EmptyState icon="cube" title={t('chat:noModel.title')}>
          {t('starters.noGallery')}
        </EmptyState>
      )}
    </section>
  )
}

function StarterRow({ starter: { id, name, description, memoryBytes } }: { readonly starter: Starter }) {
  const { t } = useTranslation('home')
  const { state } = useConnection()
  const operation = findActiveOperation(useQuery(operationsQuery).data, { kind: 'model', name: id })
  const install = useOperationAction()
  return (
    <li>
      <LetterTile name={name} />
      <div className="grow">
        <b>{name}</b>
        {install.isSuccess && operation === undefined && <LastOutcome kind="model" name={id} />}
        <p className="meta">
          {memoryBytes !== undefined && t('starters.fits', { size: formatBytes(memoryBytes) })}{' '}
          {toPlainText(description)}
        </p>
      </div>
      {operation !== undefined ? (
        <InstallProgress operation={operation} isSmall />
      ) : (
        <Button
          small
          busy={install.isPending}
          disabled={state === 'offline'}
          onClick={() => install.mutate({ do: 'install', kind: 'model', id })}
        >
          {t('starters.install')}
        </Button>
      )}
    </li>
  )
}
