import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../components/ui/button.tsx'
import * as listDetailStyles from '../../components/ui/list-detail.module.css'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import { EmptyState, QueryView } from '../../components/ui/states.tsx'
import { Badge, LetterTile } from '../../components/ui/status.tsx'
import { toPlainText } from '../../lib/plain-text.ts'
import { type GalleryModel, galleryModelQuery } from './api.ts'
import { describeSize } from './gallery-list.tsx'
import { InstallActions } from './install-actions.tsx'
import { MemoryCard } from './memory-card.tsx'
import { VariantsTable } from './variants-table.tsx'

/** The details of a model of a gallery. @param listed the model, where the list has it */
export function GalleryDetail({
  id,
  listed,
  onClose,
}: {
  readonly id: string | undefined
  readonly listed: GalleryModel | undefined
  readonly onClose: () => void
}) {
  const { t } = useTranslation('models')
  const found = useQuery({ ...galleryModelQuery(id ?? ''), enabled: id !== undefined && listed === undefined })
  return (
    <ScrollRegion className={listDetailStyles.detail} aria-label={t('details')}>
      {id === undefined ? (
        <EmptyState icon="cube" title={t('chooseModel')} />
      ) : listed !== undefined ? (
        <Detail key={id} model={listed} onClose={onClose} />
      ) : (
        <QueryView query={found} lines={5}>
          {(model) =>
            model === null ? (
              <EmptyState title={t('noSuchModel')}>{id}</EmptyState>
            ) : (
              <Detail model={model} onClose={onClose} />
            )
          }
        </QueryView>
      )}
    </ScrollRegion>
  )
}

function Detail({ model, onClose }: { readonly model: GalleryModel; readonly onClose: () => void }) {
  const { t } = useTranslation('models')
  const { name, id, description, license, backend, gallery, tags } = model
  const size = describeSize(model)
  const facts = [id, license, backend && t('backendIs', { backend }), t('galleryIs', { gallery }), size]
  const links = model.urls.filter((url) => /^https?:\/\//.test(url))
  return (
    <div className={listDetailStyles.content}>
      <div className={`row ${listDetailStyles.heading}`}>
        <LetterTile name={name} large />
        <div className="grow">
          <h2 className={listDetailStyles.title}>{name}</h2>
          <p className="meta">{facts.filter((fact) => fact !== undefined && fact !== '').join(' · ')}</p>
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
      </div>
      <InstallActions model={model} />
      <MemoryCard model={model} />
      {model.has_variants && <VariantsTable model={model} />}
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
