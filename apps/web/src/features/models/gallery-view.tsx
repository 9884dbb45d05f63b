import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import * as chipStyles from '../../components/ui/chip.module.css'
import { SelectFilter } from '../../components/ui/field.tsx'
import { Filters } from '../../components/ui/filters.tsx'
import * as listDetailStyles from '../../components/ui/list-detail.module.css'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import * as statesStyles from '../../components/ui/states.module.css'
import { QueryView } from '../../components/ui/states.tsx'
import { TermField } from '../../components/ui/term-field.tsx'
import { useListKeys } from '../../lib/use-list-keys.ts'
import { AddGalleryButton } from './add-gallery.tsx'
import { type GalleryPage, galleryQuery } from './api.ts'
import { GalleryDetail } from './gallery-detail.tsx'
import { GalleryList } from './gallery-list.tsx'
import { hasGalleryFilter, type ModelsSearch, readModelsSearch, SORTS } from './search.ts'

const route = getRouteApi('/app/models')
/** Uses and tags that have a chip. */
const CHIPS = ['chat', 'code', 'vision', 'embeddings', 'rerank', 'tts', 'transcript', 'token_classify'] as const

/** Models that galleries offer, with search and filters. */
export function GalleryView() {
  const { t } = useTranslation('models')
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = useCallback(
    (patch: SearchPatch) =>
      void navigate({
        to: '.',
        search: ({ pages: _, ...rest }) => readModelsSearch({ ...rest, ...patch }),
        replace: true,
      }),
    [navigate],
  )
  const page = useQuery(galleryQuery(search))
  const models = page.data?.models
  // filters over an empty list would be in the way
  const isEmpty = page.data?.availableModels === 0 && !hasGalleryFilter(search)
  const open = (model: string | undefined) =>
    void navigate({
      to: '.',
      search: ({ model: _, ...rest }) => (model === undefined ? rest : { ...rest, model }),
      replace: true,
    })
  useListKeys({
    onStep(step) {
      const index = models?.findIndex(({ id }) => id === search.model) ?? -1
      const next = models?.[index === -1 && step === -1 ? 0 : index + step]
      if (next !== undefined) open(next.id)
    },
    onClose: () => open(undefined),
  })
  return (
    <>
      {!isEmpty && (
        <div className={listDetailStyles.filters}>
          <TermField label={t('searchModels')} value={search.q ?? ''} onChange={(q) => change({ q })} />
          <Filters values={[search.fits, search.capability, search.backend, search.sort]}>
            <ScrollRegion as="div" className={`row ${listDetailStyles.chips}`} role="group" aria-label={t('filters')}>
              <Chip text={t('fitsHost')} isOn={search.fits === true} onFlip={(fits) => change({ fits })} />
              {CHIPS.map((chip) => (
                <Chip
                  key={chip}
                  text={t(`use.${chip}`)}
                  isOn={search.capability === chip}
                  onFlip={(isOn) => change({ capability: isOn ? chip : '' })}
                />
              ))}
            </ScrollRegion>
            <Selects search={search} page={page.data} onChange={change} />
          </Filters>
          <AddGalleryButton />
        </div>
      )}
      <div
        className={
          isEmpty
            ? `${listDetailStyles.split} ${listDetailStyles.isAlone}`
            : search.model === undefined
              ? listDetailStyles.split
              : `${listDetailStyles.split} ${listDetailStyles.isOpen}`
        }
      >
        <ScrollRegion
          className={listDetailStyles.list}
          aria-label={t('common:nav.models')}
          aria-busy={page.isPlaceholderData}
        >
          {page.isPlaceholderData && <div className={statesStyles.refreshing} />}
          <QueryView query={page} lines={10} height={52}>
            {(data) => <GalleryList page={data} search={search} />}
          </QueryView>
        </ScrollRegion>
        {!isEmpty && (
          <GalleryDetail
            id={search.model}
            listed={models?.find(({ id }) => id === search.model)}
            onClose={() => open(undefined)}
          />
        )}
      </div>
    </>
  )
}

/** Filters to change; an empty one is taken away. */
type SearchPatch = { readonly [Key in keyof ModelsSearch]?: ModelsSearch[Key] | '' }

function Chip({
  text,
  isOn,
  onFlip,
}: {
  readonly text: string
  readonly isOn: boolean
  readonly onFlip: (isOn: boolean) => void
}) {
  return (
    <button type="button" className={chipStyles.chip} aria-pressed={isOn} onClick={() => onFlip(!isOn)}>
      {text}
    </button>
  )
}

function Selects({
  search,
  page,
  onChange,
}: {
  readonly search: ModelsSearch
  readonly page: GalleryPage | undefined
  readonly onChange: (patch: SearchPatch) => void
}) {
  const { t } = useTranslation('models')
  const { backend = '', sort } = search
  const backends = [...new Set([...(page?.allBackends ?? []), ...(backend === '' ? [] : [backend])])]
  return (
    <div className={`row push ${listDetailStyles.selects}`}>
      {backends.length > 1 && (
        <SelectFilter
          label={t('backend')}
          value={backend}
          options={[['', t('anyBackend')], ...backends.map((name) => [name, name] as const)]}
          onChange={({ target }) => onChange({ backend: target.value })}
        />
      )}
      <SelectFilter
        label={t('sort.label')}
        value={sort ?? ''}
        options={[['', t('sort.gallery')], ...SORTS.map((order) => [order, t(`sort.${order}`)] as const)]}
        onChange={({ target }) => onChange({ sort: SORTS.find((one) => one === target.value) ?? '' })}
      />
    </div>
  )
}
