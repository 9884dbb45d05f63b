import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Notice } from '../../components/ui/notice.tsx'
import { PageHead } from '../../components/ui/page-head.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import { EmptyState, QueryView } from '../../components/ui/states.tsx'
import { Badge } from '../../components/ui/status.tsx'
import { useSession } from '../../lib/session.ts'
import { type Router, routersQuery } from './api.ts'
import { CorpusPanel } from './corpus-panel.tsx'
import { DecisionLog } from './decision-log.tsx'
import { Playground } from './playground.tsx'
import { RouterSetup } from './router-setup.tsx'
import { ScoreCard } from './score-card.tsx'
import type { RouterSearch, VIEWS } from './search.ts'

const route = getRouteApi('/app/router/$name')

/** One router: a trial, its setup, its decisions and its corpus. */
export function RouterPage() {
  const { t } = useTranslation('router')
  const { name } = route.useParams()
  const routers = useQuery(routersQuery)
  return (
    <>
      <PageHead title={name}>
        <Link className="meta" to="/app/router">
          {t('allRouters')}
        </Link>
      </PageHead>
      <div className="page stack">
        <QueryView query={routers}>
          {({ models }) => {
            const router = models.find((model) => model.name === name)
            return router === undefined ? (
              <EmptyState
                icon="route"
                title={t('unknown', { name })}
                action={<Link to="/app/router">{t('allRouters')}</Link>}
              />
            ) : (
              <RouterView key={name} router={router} />
            )
          }}
        </QueryView>
      </div>
    </>
  )
}

type View = (typeof VIEWS)[number]

function RouterView({ router }: { readonly router: Router }) {
  const { t } = useTranslation('router')
  const { isAdmin } = useSession().viewer
  const search = route.useSearch()
  const navigate = useNavigate()
  const { name, problems, classifier, classifier_model: model } = router
  const change = (changes: RouterSearch) =>
    void navigate({ to: '/app/router/$name', params: { name }, search: { ...search, ...changes }, replace: true })
  const views: View[] = isAdmin
    ? ['try', 'setup', 'decisions', ...(router.knn === undefined ? [] : (['corpus'] as const))]
    : ['setup']
  const view = views.find((known) => known === search.view) ?? views[0] ?? 'setup'
  return (
    <>
      {problems.length > 0 && (
        <Notice tone="bad">
          <b>{t('brokenTitle')}</b>
          <ul className="problemList">
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Notice>
      )}
      <div className="row wrap">
        {views.length > 1 && (
          <Segmented
            label={t('views')}
            value={view}
            options={views.map((known) => [known, t(`view.${known}`)] as const)}
            onChange={(next) => change({ view: next })}
          />
        )}
        <Badge>{classifier}</Badge>
        {model !== undefined && <span className="meta">{t('classifiedBy', { model })}</span>}
      </div>
      {view === 'try' && (
        <>
          <Playground router={router} />
          <ScoreCard router={router} />
        </>
      )}
      {view === 'setup' && <RouterSetup router={router} />}
      {view === 'decisions' && (
        <DecisionLog search={{ ...search, router: name }} routers={undefined} onChange={change} />
      )}
      {view === 'corpus' && <CorpusPanel router={router} />}
    </>
  )
}
