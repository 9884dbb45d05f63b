import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { buttonClass } from '../../components/ui/button.tsx'
import { CodeBlock } from '../../components/ui/code-block.tsx'
import { PageHead } from '../../components/ui/page-head.tsx'
import { EmptyState, QueryView } from '../../components/ui/states.tsx'
import { Badge, Status } from '../../components/ui/status.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'
import { formatNumber } from '../../lib/format.ts'
import { useSession } from '../../lib/session.ts'
import { type Router, routersQuery } from './api.ts'
import { DecisionLog } from './decision-log.tsx'
import { ROUTER_TEMPLATE } from './template.ts'

const route = getRouteApi('/app/router')

/** All routers, and for admins their decisions. */
export function RoutersPage() {
  const { t } = useTranslation('router')
  const { isAdmin } = useSession().viewer
  const search = route.useSearch()
  const navigate = useNavigate()
  const routers = useQuery(routersQuery)
  return (
    <>
      <PageHead title={t('title')}>
        <span className="meta notOnPhone">{t('about')}</span>
      </PageHead>
      <div className="page stack">
        <QueryView query={routers}>
          {({ models }) => (models.length === 0 ? <NoRouter /> : <RouterTable routers={models} />)}
        </QueryView>
        {isAdmin && routers.data?.configured === true && (
          <DecisionLog
            search={search}
            routers={routers.data.models.map(({ name }) => name)}
            onChange={(changes) =>
              void navigate({ to: '/app/router', search: { ...search, ...changes }, replace: true })
            }
          />
        )}
      </div>
    </>
  )
}

function NoRouter() {
  const { t } = useTranslation('router')
  const { isAdmin } = useSession().viewer
  const { model_editor: hasEditor } = useCapabilities()
  return (
    <>
      <EmptyState
        icon="route"
        title={t('noRouter')}
        action={
          isAdmin &&
          hasEditor && (
            <Link className={buttonClass()} to="/app/models/new">
              {t('chooseTemplate')}
            </Link>
          )
        }
      >
        {isAdmin ? t('noRouterAbout') : t('noRouterUser')}
      </EmptyState>
      {isAdmin && <CodeBlock title={t('template')} text={ROUTER_TEMPLATE} />}
    </>
  )
}

function RouterTable({ routers }: { readonly routers: readonly Router[] }) {
  const { t } = useTranslation('router')
  return (
    <div className="card">
      <header>
        <h2>{t('routers')}</h2>
      </header>
      <table className="table stacked">
        <thead>
          <tr>
            <th scope="col">{t('router')}</th>
            <th scope="col">{t('state')}</th>
            <th scope="col">{t('classifier')}</th>
            <th scope="col">{t('labels')}</th>
            <th scope="col">{t('candidates')}</th>
            <th scope="col">{t('fallback')}</th>
            <th scope="col" className="number">
              {t('cacheHits')}
            </th>
          </tr>
        </thead>
        <tbody>
          {routers.map(({ name, classifier, policies, candidates, fallback, problems, embedding_cache: cache }) => (
            <tr key={name}>
              <td className="mainCell">
                <Link className="mainLink" to="/app/router/$name" params={{ name }}>
                  {name}
                </Link>
              </td>
              <td className="endCell">
                {problems.length === 0 ? (
                  <Status tone="ok">{t('fine')}</Status>
                ) : (
                  <Status tone="bad">{t('problems', { count: problems.length })}</Status>
                )}
              </td>
              <td className="minorCell">
                <Badge>{classifier}</Badge>
              </td>
              <td className="minorCell freeCell">{policies.map(({ label }) => label).join(', ')}</td>
              <td className="minorCell freeCell">{candidates.map(({ model }) => model).join(', ')}</td>
              <td className="minorCell">{fallback}</td>
              <td className="minorCell number">{cache?.stats === undefined ? '' : formatNumber(cache.stats.hits)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
