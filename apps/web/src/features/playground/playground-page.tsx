import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { SelectField } from '../../components/ui/field.tsx'
import { PageHead } from '../../components/ui/page-head.tsx'
import { EmptyState, QueryView, Skeleton } from '../../components/ui/states.tsx'
import { TabLinks } from '../../components/ui/tab-links.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'
import { listModelsFor } from '../../lib/media/models.ts'
import { installedModelsQuery } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'
import { backendsQuery } from './api.ts'
import { KindForm } from './kind-form.tsx'
import { isKind, isMediaKind, type Kind, listKinds, type MediaKind, readKindFacts } from './kinds.ts'
import * as styles from './playground.module.css'

const route = getRouteApi('/app/playground/$kind')

type Form = ComponentType<{ readonly model: string; readonly children: ReactNode }>

/** Each page loads its own form. */
const MEDIA_FORMS: Readonly<Record<MediaKind, Form>> = {
  speech: lazy(async () => ({ default: (await import('./speech-form.tsx')).SpeechForm })),
  transcription: lazy(async () => ({ default: (await import('./transcription-form.tsx')).TranscriptionForm })),
  images: lazy(async () => ({ default: (await import('./images-form.tsx')).ImagesForm })),
  detection: lazy(async () => ({ default: (await import('./detection-form.tsx')).DetectionForm })),
  video: lazy(async () => ({ default: (await import('./video-form.tsx')).VideoForm })),
}

/** Tries abilities of models beside chats, each with the equal command. */
export function PlaygroundPage() {
  const { t, i18n } = useTranslation('playground')
  const { kind } = route.useParams()
  const kinds = listKinds(useCapabilities(), useSession().viewer)
  const known = isKind(kind) && kinds.includes(kind) ? kind : undefined
  const tabs = useRef<HTMLDivElement>(null)
  // on narrow screens the row of kinds scrolls
  useEffect(() => {
    if (known !== undefined)
      tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [known])
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
        <div className={styles.kinds} ref={tabs}>
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
          const names = listModelsFor(all, usecase)
          const chosen = names.find((name) => name === model) ?? names[0]
          if (chosen === undefined) return <NoModel kind={kind} />
          const choice = (
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
          )
          if (!isMediaKind(kind))
            return (
              <KindForm kind={kind} model={chosen}>
                {choice}
              </KindForm>
            )
          const MediaForm = MEDIA_FORMS[kind]
          return (
            <Suspense fallback={<Skeleton lines={6} />}>
              <MediaForm model={chosen}>{choice}</MediaForm>
            </Suspense>
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
      {isMediaKind(kind) && <>{t(`get.${kind}`)} </>}
      {isAdmin ? <Advice kind={kind} backends={names} /> : t('askAdmin')}
    </EmptyState>
  )
}

/** The next step of an admin. */
function Advice({ kind, backends }: { readonly kind: Kind; readonly backends: readonly string[] }) {
  const { t } = useTranslation('playground')
  if (backends.length > 0) return t('installBackend', { backends: backends.join(', ') })
  return isMediaKind(kind) ? t('ownBackend') : t('builtIn')
}
