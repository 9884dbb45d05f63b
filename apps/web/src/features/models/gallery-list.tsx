import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { buttonClass } from '../../components/ui/button.tsx'
import { GalleryProblems } from '../../components/ui/gallery-problems.tsx'
import * as listDetailStyles from '../../components/ui/list-detail.module.css'
import { EmptyState, NoMatch } from '../../components/ui/states.tsx'
import { Badge, LetterTile, Status } from '../../components/ui/status.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'
import { formatBytes, formatNumber, formatPercent } from '../../lib/format.ts'
import { findActiveOperation } from '../../lib/operations/operation.ts'
import { operationsQuery } from '../../lib/operations/operation-queries.ts'
import { AddGalleryButton } from './add-gallery.tsx'
import { type GalleryModel, type GalleryPage, hostQuery } from './api.ts'
import { type Fit, judgeFit } from './fit.ts'
import { hasGalleryFilter, type ModelsSearch } from './search.ts'

const route = getRouteApi('/app/models')
const FIT_TONES = { fits: 'ok', tight: 'warn', large: 'bad', unusable: 'bad', unknown: 'neutral' } as const

/** The models of a page of the galleries. */
export function GalleryList({ page, search }: { readonly page: GalleryPage; readonly search: ModelsSearch }) {
  const { t } = useTranslation('models')
  const navigate = route.useNavigate()
  const { models, totalPages, availableModels } = page
  if (models.length === 0) {
    if (hasGalleryFilter(search)) return <NoMatch onClear={() => void navigate({ to: '.', search: {} })} />
    return (
      <>
        <GalleryProblems galleries={page.repositories} />
        <EmptyGallery hasGallery={page.repositories.length > 0} />
      </>
    )
  }
  return (
    <>
      <GalleryProblems galleries={page.repositories} />
      <ul className={listDetailStyles.entries}>
        {models.map((model) => (
          <li key={model.id}>
            <Link
              to="/app/models"
              search={{ ...search, model: model.id }}
              activeOptions={{ exact: true, includeSearch: true }}
              replace
            >
              <LetterTile name={model.name} />
              <span className="grow">
                <span className={`${listDetailStyles.name} clip`}>{model.name}</span>
                <span className="meta clip">{model.tags.join(', ')}</span>
              </span>
              <RowEnd model={model} />
            </Link>
          </li>
        ))}
      </ul>
      <p className={`meta ${listDetailStyles.foot}`}>
        {t('showing', { shown: formatNumber(models.length), count: availableModels })}
        {totalPages > 1 && (
          <>
            <span className="separator" />
            <Link to="/app/models" search={{ ...search, pages: (search.pages ?? 1) + 1 }} replace resetScroll={false}>
              {t('showMore')}
            </Link>
          </>
        )}
      </p>
    </>
  )
}

function EmptyGallery({ hasGallery }: { readonly hasGallery: boolean }) {
  const { t } = useTranslation('models')
  const { model_editor: hasEditor } = useCapabilities()
  return (
    <EmptyState
      icon="cube"
      title={t(hasGallery ? 'galleryEmpty' : 'noGallery')}
      action={
        <>
          <AddGalleryButton isPrimary={!hasGallery} />
          {hasEditor && (
            <Link className={buttonClass()} to="/app/models/new" search={{ from: 'uri' }}>
              {t('findAtHub')}
            </Link>
          )}
        </>
      }
    >
      {t(hasGallery ? 'galleryEmptyAbout' : 'nothingFetched')}
    </EmptyState>
  )
}

/** The size of a model and its state: installed, on its way, or its fit. */
function RowEnd({ model }: { readonly model: GalleryModel }) {
  const { t } = useTranslation('models')
  const host = useQuery(hostQuery).data
  const operations = useQuery(operationsQuery).data
  const operation = findActiveOperation(operations, { kind: 'model', name: model.id })
  return (
    <span className={listDetailStyles.figures}>
      <span className={listDetailStyles.size}>{describeSize(model) ?? t('sizeUnknown')}</span>
      {operation !== undefined ? (
        <Status tone="run">{operation.isQueued ? t('queued') : formatPercent(operation.progress / 100)}</Status>
      ) : model.installed ? (
        <Badge>{t('installed')}</Badge>
      ) : (
        <FitStatus fit={judgeFit(model, host)} />
      )}
    </span>
  )
}

/** The size of a download; undefined if it is unknown. */
export function describeSize({ size_bytes, size }: GalleryModel): string | undefined {
  if (size_bytes !== undefined) return formatBytes(size_bytes)
  return size === '' ? undefined : size
}

/** Whether a model fits this host, in a word and a tone. */
export function FitStatus({ fit }: { readonly fit: Fit }) {
  const { t } = useTranslation('models')
  return <Status tone={FIT_TONES[fit]}>{t(`fit.${fit}`)}</Status>
}
