import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { buttonClass } from '../../components/ui/button.tsx'
import { SelectFilter } from '../../components/ui/field.tsx'
import { Filters } from '../../components/ui/filters.tsx'
import * as listDetailStyles from '../../components/ui/list-detail.module.css'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import { EmptyState, NoMatch, QueryView } from '../../components/ui/states.tsx'
import { Badge, LetterTile, Status } from '../../components/ui/status.tsx'
import { TermField } from '../../components/ui/term-field.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'
import {
  type InstalledModel,
  installedModelsQuery,
  type LoadedModel,
  type LoadFailure,
} from '../../lib/server-state.ts'
import { useListKeys } from '../../lib/use-list-keys.ts'
import { failuresQuery, loadedQuery, problemsQuery } from './api.ts'
import { filterInstalled, listUses } from './filter-installed.ts'
import { InstalledDetail } from './installed-detail.tsx'
import { filterProblems, ProblemRows } from './problem-rows.tsx'
import { MODEL_STATES, type ModelsSearch } from './search.ts'

const route = getRouteApi('/app/models')
const NONE_LOADED: ReadonlyMap<string, LoadedModel> = new Map()
const NO_FAILURES: ReadonlyMap<string, LoadFailure> = new Map()

/** Models that are here, whether galleries answer or not. */
export function InstalledView() {
  const { t } = useTranslation('models')
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const installed = useQuery(installedModelsQuery)
  const loaded = useQuery(loadedQuery).data ?? NONE_LOADED
  const failures = useQuery(failuresQuery).data ?? NO_FAILURES
  const { q, state, model } = search
  // mistakes do not have the states of models
  const problems = filterProblems(useQuery({ ...problemsQuery, enabled: state === undefined }).data ?? [], q)
  const shown = filterInstalled(installed.data ?? [], { q, state, loaded, failures })
  const change = (patch: ModelsSearch) => void navigate({ to: '.', search: { ...search, ...patch }, replace: true })
  const open = (name: string | undefined) => {
    const { model: _, ...rest } = search
    void navigate({ to: '.', search: name === undefined ? rest : { ...rest, model: name }, replace: true })
  }
  useListKeys({
    onStep(step) {
      const index = shown.findIndex(({ id }) => id === model)
      const next = shown[index === -1 && step === -1 ? 0 : index + step]
      if (next !== undefined) open(next.id)
    },
    onClose: () => open(undefined),
  })
  return (
    <>
      <div className={listDetailStyles.filters}>
        <TermField
          label={t('searchModels')}
          value={q ?? ''}
          onChange={(term) => {
            const { q: _, ...rest } = search
            void navigate({ to: '.', search: term === '' ? rest : { ...rest, q: term }, replace: true })
          }}
        />
        <Filters values={[state]}>
          <SelectFilter
            label={t('state.label')}
            value={state ?? ''}
            options={[['', t('state.any')], ...MODEL_STATES.map((word) => [word, t(`state.${word}`)] as const)]}
            onChange={({ target }) => {
              const next = MODEL_STATES.find((word) => word === target.value)
              const { state: _, ...rest } = search
              if (next === undefined) void navigate({ to: '.', search: rest, replace: true })
              else change({ state: next })
            }}
          />
        </Filters>
      </div>
      <div
        className={
          model === undefined ? listDetailStyles.split : `${listDetailStyles.split} ${listDetailStyles.isOpen}`
        }
      >
        <ScrollRegion className={listDetailStyles.list} aria-label={t('common:nav.models')}>
          {state === undefined && <ProblemRows problems={problems} />}
          <QueryView query={installed} lines={6} height={52}>
            {(models) =>
              shown.length === 0 && problems.length > 0 && state === undefined ? null : models.length === 0 ? (
                <NothingInstalled />
              ) : shown.length === 0 ? (
                <NoMatch onClear={() => void navigate({ to: '.', search: { view: 'installed' } })} />
              ) : (
                <InstalledList {...{ models: shown, loaded, failures, search }} />
              )
            }
          </QueryView>
        </ScrollRegion>
        <InstalledDetail
          name={model}
          model={installed.data?.find(({ id }) => id === model)}
          loaded={model === undefined ? undefined : loaded.get(model)}
          failure={model === undefined ? undefined : failures.get(model)}
          isKnown={installed.data !== undefined}
          onClose={() => open(undefined)}
        />
      </div>
    </>
  )
}

function NothingInstalled() {
  const { t } = useTranslation('models')
  const { model_gallery: hasGallery } = useCapabilities()
  return (
    <EmptyState
      icon="cube"
      title={t('nothingInstalled')}
      action={
        <Link
          className={buttonClass('primary')}
          {...(hasGallery
            ? { to: '/app/models', search: { view: 'explore' as const } }
            : { to: '/app/models/new', search: {} })}
        >
          {t(hasGallery ? 'exploreModels' : 'add')}
        </Link>
      }
    />
  )
}

function InstalledList({
  models,
  loaded,
  failures,
  search,
}: {
  readonly models: readonly InstalledModel[]
  readonly loaded: ReadonlyMap<string, LoadedModel>
  readonly failures: ReadonlyMap<string, LoadFailure>
  readonly search: ModelsSearch
}) {
  const { t } = useTranslation('models')
  return (
    <ul className={listDetailStyles.entries}>
      {models.map((model) => (
        <li key={model.id}>
          <Link
            to="/app/models"
            search={{ ...search, view: 'installed', model: model.id }}
            activeOptions={{ exact: true, includeSearch: true }}
            replace
          >
            <LetterTile name={model.id} />
            <span className="grow">
              <span className={`${listDetailStyles.name} clip`}>{model.id}</span>
              <span className="meta clip">{listUses(model).join(', ')}</span>
            </span>
            <span className={listDetailStyles.figures}>
              {model.disabled ? (
                <Status>{t('state.disabled')}</Status>
              ) : loaded.has(model.id) ? (
                <Status tone="ok">{t('state.loaded')}</Status>
              ) : failures.has(model.id) ? (
                <Status tone="bad">{t('state.failed')}</Status>
              ) : (
                <Status>{t('state.idle')}</Status>
              )}
              {model.pinned && <Badge>{t('state.pinned')}</Badge>}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
