import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { SelectFilter } from '../../components/ui/field.tsx'
import { Filters } from '../../components/ui/filters.tsx'
import * as listDetailStyles from '../../components/ui/list-detail.module.css'
import { EmptyState, NoMatch, QueryView } from '../../components/ui/states.tsx'
import { Badge } from '../../components/ui/status.tsx'
import { TermField } from '../../components/ui/term-field.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import { type BackendsHere, checkUpgrades, installedQuery } from './api.ts'
import { InstalledTable } from './installed-table.tsx'
import { BACKEND_STATES, type BackendsSearch, readBackendsSearch } from './search.ts'

const route = getRouteApi('/app/backends')

/** Backends that are here, with their upgrades. */
export function InstalledView() {
  const { t } = useTranslation('backends')
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const isOffline = useConnection().state === 'offline'
  const here = useQuery(installedQuery)
  const change = useCallback(
    (patch: Record<string, unknown>) =>
      void navigate({ to: '.', search: (before) => readBackendsSearch({ ...before, ...patch }), replace: true }),
    [navigate],
  )
  const setTerm = useCallback((q: string) => change({ q }), [change])
  const check = useMutation({
    mutationFn: checkUpgrades,
    onError: (error) => notify('error', error.message),
  })
  return (
    <>
      <div className={`${listDetailStyles.filters} wrap`}>
        <TermField label={t('searchBackends')} value={search.q ?? ''} onChange={setTerm} />
        <Filters values={[search.state]}>
          <SelectFilter
            label={t('state.label')}
            value={search.state ?? ''}
            options={[['', t('state.any')], ...BACKEND_STATES.map((state) => [state, t(`state.${state}`)] as const)]}
            onChange={({ target }) => change({ state: target.value })}
          />
        </Filters>
        <span className="push">
          <Button icon="regenerate" busy={check.isPending} disabled={isOffline} onClick={() => check.mutate()}>
            {t('checkUpgrades')}
          </Button>
        </span>
      </div>
      <div className="page stack">
        <QueryView query={here} lines={5}>
          {(data) => (
            <Installed
              data={data}
              search={search}
              onClear={() => void navigate({ to: '.', search: { view: 'installed' } })}
              onExplore={() => void navigate({ to: '.', search: {} })}
            />
          )}
        </QueryView>
      </div>
    </>
  )
}

function Installed({
  data: { installed, builtIn },
  search: { q = '', state, backend },
  onClear,
  onExplore,
}: {
  readonly data: BackendsHere
  readonly search: BackendsSearch
  readonly onClear: () => void
  readonly onExplore: () => void
}) {
  const { t } = useTranslation('backends')
  const term = q.toLowerCase()
  const shown = installed.filter(({ name, isSystem, availableVersion }) => {
    if (!name.toLowerCase().includes(term)) return false
    if (state === 'upgrade') return availableVersion !== undefined
    return state === undefined || (state === 'system') === isSystem
  })
  const shownBuiltIn = state === undefined ? builtIn.filter((name) => name.toLowerCase().includes(term)) : []
  return (
    <>
      {shown.length > 0 && <InstalledTable backends={shown} chosen={backend} />}
      {shown.length === 0 &&
        (installed.length > 0 ? (
          <NoMatch onClear={onClear} />
        ) : (
          <EmptyState
            icon="plug"
            title={t('nothingInstalled')}
            action={<Button onClick={onExplore}>{t('explore')}</Button>}
          >
            {t('nothingInstalledAbout')}
          </EmptyState>
        ))}
      {shownBuiltIn.length > 0 && (
        <section className="stack tight" aria-labelledby="built-in">
          <h2 id="built-in">{t('builtIn')}</h2>
          <p className="meta">{t('builtInAbout')}</p>
          <div className="row wrap">
            {shownBuiltIn.map((name) => (
              <Badge key={name}>{name}</Badge>
            ))}
          </div>
        </section>
      )}
    </>
  )
}
