import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { SelectField } from '../../components/ui/field.tsx'
import { PageHead } from '../../components/ui/page-head.tsx'
import { EmptyState, QueryView } from '../../components/ui/states.tsx'
import { TabLinks } from '../../components/ui/tab-links.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'
import { installedModelsQuery } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'
import { backendsQuery } from './api.ts'
import { KindForm } from './kind-form.tsx'
import { isKind, type Kind, listKinds, readKindFacts } from './kinds.ts'
import * as styles from './playground.module.css'

const route = getRouteApi('/app/playground/$kind')

/** Tries abilities of models beside chats, each with the equal command. */
export function PlaygroundPage() {
  const { t, i18n } = useTranslation('playground')
  const { kind } = route.useParams()
  const kinds = listKinds(useCapabilities(), useSession().viewer)
  const known = isKind(kind) && kinds.includes(kind) ? kind : undefined
  return (
    <>
      <PageHead title={known === undefined ? t('title') : t('titleOf', { kind: t(`kind.${known}`) })} />
      <div className="page stack">
        {kinds.length > 0 && (
          <p className="meta">
            {t('has', {
              kinds: new Intl.ListFormat(i18n.language).format(kinds.map((each) => t(`kind.${each}`))),
            })}
          </p>
        )}
        <div className={styles.kinds}>
          <TabLinks
            label={t('kinds')}
            links={kinds.map((each) => ({ to: `/app/playground/${each}`, text: t(`kind.${each}`) }))}
          />
        </div>
        {known === undefined ? (
          <EmptyState icon="playground" title={t('notServed', { kind })}>
            {kinds.length > 0 && t('otherKinds')}
          </EmptyState>
        ) : (
          <KindView key={known} kind={known} />
        )}
      </div>
    </>
  )
}

function KindView({ kind }: { readonly kind: Kind }) {
  const { t } = useTranslation('playground')
  const { model } = route.useSearch()
  const navigate = useNavigate()
  const models = useQuery(installedModelsQuery)
  const { usecase } = readKindFacts(kind)
  return (
    <>
      <p className="muted">{t(`about.${kind}`)}</p>
      <QueryView query={models} lines={6}>
        {(all) => {
          const names = all
            .filter(({ capabilities, disabled }) => !disabled && capabilities.includes(`FLAG_${usecase.toUpperCase()}`))
            .map(({ id }) => id)
          const chosen = names.find((name) => name === model) ?? names[0]
          if (chosen === undefined) return <NoModel kind={kind} />
          return (
            <KindForm kind={kind} model={chosen}>
              <div className={styles.model}>
                <SelectField
                  label={t('model')}
                  value={chosen}
                  options={names.map((name) => [name, name] as const)}
                  onChange={({ target }) =>
                    void navigate({
                      to: '/app/playground/$kind',
                      params: { kind },
                      search: { model: target.value },
                      replace: true,
                    })
                  }
                />
              </div>
            </KindForm>
          )
        }}
      </QueryView>
    </>
  )
}

/** Names the backends that could serve a kind, if no model offers it. */
function NoModel({ kind }: { readonly kind: Kind }) {
  const { t } = useTranslation('playground')
  const { isAdmin } = useSession().viewer
  const backends = useQuery({ ...backendsQuery, enabled: isAdmin })
  const { usecase } = readKindFacts(kind)
  const names = Object.entries(backends.data ?? {})
    .filter(([, usecases]) => usecases.includes(usecase))
    .map(([name]) => name)
  return (
    <EmptyState
      icon="playground"
      title={t('noModel', { kind: t(`kind.${kind}`) })}
      action={
        isAdmin && (
          <>
            <Link to="/app/models">{t('openModels')}</Link>
            <Link to={'/app/backends' as '/app'}>{t('openBackends')}</Link>
          </>
        )
      }
    >
      {!isAdmin ? t('askAdmin') : names.length > 0 ? t('installBackend', { backends: names.join(', ') }) : t('builtIn')}
    </EmptyState>
  )
}
