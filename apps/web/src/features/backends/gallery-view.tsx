import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { Checkbox, SelectFilter } from '../../components/ui/field.tsx'
import { Filters } from '../../components/ui/filters.tsx'
import { GalleryProblems } from '../../components/ui/gallery-problems.tsx'
import * as listDetailStyles from '../../components/ui/list-detail.module.css'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import * as statesStyles from '../../components/ui/states.module.css'
import { EmptyState, NoMatch, QueryView } from '../../components/ui/states.tsx'
import { Badge, LetterTile, Status } from '../../components/ui/status.tsx'
import { TermField } from '../../components/ui/term-field.tsx'
import { formatPercent } from '../../lib/format.ts'
import { findActiveOperation } from '../../lib/operations/operation.ts'
import { operationsQuery } from '../../lib/operations/operation-queries.ts'
import { useListKeys } from '../../lib/use-list-keys.ts'
import { type BackendPage, type GalleryBackend, galleryQuery } from './api.ts'
import { BackendDetail } from './backend-detail.tsx'
import { type BackendsSearch, readBackendsSearch } from './search.ts'

const route = getRouteApi('/app/backends')

/** Backends that galleries offer for this machine. */
export function GalleryView() {
  const { t } = useTranslation('backends')
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = useCallback(
    (patch: Record<string, unknown>) =>
      void navigate({ to: '.', search: (before) => readBackendsSearch({ ...before, ...patch }), replace: true }),
    [navigate],
  )
  const setTerm = useCallback((q: string) => change({ q }), [change])
  const page = useQuery(galleryQuery(search))
  const shown = page.data?.backends.filter(({ isDevelopment }) => search.development === 1 || !isDevelopment)
  const chosen = shown?.find(({ id }) => id === search.backend)
  const open = (backend: string) => change({ backend })
  useListKeys({
    onStep(step) {
      const index = shown?.findIndex(({ id }) => id === search.backend) ?? -1
      const next = shown?.[index === -1 && step === -1 ? 0 : index + step]
      if (next !== undefined) open(next.id)
    },
    onClose: () => open(''),
  })
  const isFiltered = search.q !== undefined || search.tag !== undefined
  return (
    <>
      <div className={`${listDetailStyles.filters} wrap`}>
        <TermField label={t('searchBackends')} value={search.q ?? ''} onChange={setTerm} />
        <Filters values={[search.tag, search.show_all, search.development]}>
          <Tags page={page.data} tag={search.tag} onChange={(tag) => change({ tag })} />
          <Checkbox
            label={t('showAll')}
            checked={search.show_all === 1}
            onChange={({ target }) => change({ show_all: target.checked ? 1 : 0 })}
          />
          <Checkbox
            label={t('development')}
            checked={search.development === 1}
            onChange={({ target }) => change({ development: target.checked ? 1 : 0 })}
          />
        </Filters>
      </div>
      <div
        className={
          search.backend === undefined ? listDetailStyles.split : `${listDetailStyles.split} ${listDetailStyles.isOpen}`
        }
      >
        <ScrollRegion
          className={listDetailStyles.list}
          aria-label={t('common:nav.backends')}
          aria-busy={page.isPlaceholderData}
        >
          {page.isPlaceholderData && <div className={statesStyles.refreshing} />}
          <QueryView query={page} lines={8} height={52}>
            {(data) => (
              <>
                <GalleryProblems galleries={data.repositories} />
                {shown === undefined || shown.length > 0 ? (
                  <BackendList backends={shown ?? []} search={search} />
                ) : isFiltered ? (
                  <NoMatch onClear={() => void navigate({ to: '.', search: {} })} />
                ) : (
                  <EmptyState icon="plug" title={t(data.repositories.length === 0 ? 'noGallery' : 'noneHere')}>
                    {t(data.repositories.length === 0 ? 'noGalleryAbout' : 'noneHereAbout')}
                  </EmptyState>
                )}
              </>
            )}
          </QueryView>
        </ScrollRegion>
        <BackendDetail
          key={search.backend}
          id={search.backend}
          backend={chosen}
          isKnown={page.data !== undefined}
          onClose={() => open('')}
        />
      </div>
    </>
  )
}

function Tags({
  page,
  tag = '',
  onChange,
}: {
  readonly page: BackendPage | undefined
  readonly tag: string | undefined
  readonly onChange: (tag: string) => void
}) {
  const { t } = useTranslation('backends')
  const tags = [...new Set([...(page?.allTags ?? []), ...(tag === '' ? [] : [tag])])]
  return (
    <SelectFilter
      label={t('tag')}
      value={tag}
      options={[['', t('anyTag')], ...tags.map((one) => [one, one] as const)]}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}

function BackendList({
  backends,
  search,
}: {
  readonly backends: readonly GalleryBackend[]
  readonly search: BackendsSearch
}) {
  return (
    <ul className={listDetailStyles.entries}>
      {backends.map((backend) => (
        <li key={backend.id}>
          <Link
            to="/app/backends"
            search={{ ...search, backend: backend.id }}
            activeOptions={{ exact: true, includeSearch: true }}
            replace
          >
            <LetterTile name={backend.name} />
            <span className="grow">
              <span className={`${listDetailStyles.name} clip`}>{backend.name}</span>
              <span className="meta clip">{backend.tags.join(', ')}</span>
            </span>
            <RowEnd backend={backend} />
          </Link>
        </li>
      ))}
    </ul>
  )
}

function RowEnd({ backend }: { readonly backend: GalleryBackend }) {
  const { t } = useTranslation('backends')
  const operations = useQuery(operationsQuery).data
  const operation = findActiveOperation(operations, { kind: 'backend', name: backend.id })
  return (
    <span className={listDetailStyles.figures}>
      {operation !== undefined ? (
        <Status tone="run">{operation.isQueued ? t('queued') : formatPercent(operation.progress / 100)}</Status>
      ) : (
        backend.installed && <Badge>{t('installed')}</Badge>
      )}
      {backend.version && <span className="meta">{backend.version}</span>}
    </span>
  )
}
