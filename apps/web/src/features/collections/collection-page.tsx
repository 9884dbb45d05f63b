import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { PageHead } from '../../components/ui/page-head.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import { EntriesView } from './entries-view.tsx'
import { VIEWS } from './search.ts'
import { SearchView } from './search-view.tsx'
import { SourcesView } from './sources-view.tsx'

const route = getRouteApi('/app/agents/collections/$name')

/** A collection: its documents, a search in them, and the addresses that it fetches. */
export function CollectionPage() {
  const { t } = useTranslation('collections')
  const { name } = route.useParams()
  const { view = 'entries' } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <>
      <PageHead title={name}>
        <span className="push">
          <Segmented
            label={t('view')}
            value={view}
            options={VIEWS.map((each) => [each, t(`viewName.${each}`)] as const)}
            onChange={(next) => void navigate({ search: { view: next }, replace: true })}
          />
        </span>
      </PageHead>
      <div className="page stack flush" key={name}>
        {view === 'entries' && <EntriesView name={name} />}
        {view === 'search' && <SearchView name={name} />}
        {view === 'sources' && <SourcesView name={name} />}
      </div>
    </>
  )
}
