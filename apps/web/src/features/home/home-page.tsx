import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { PageHead } from '../../components/ui/page-head.tsx'
import { ErrorBlock, Skeleton } from '../../components/ui/states.tsx'
import { useChatModels } from '../../lib/chat/models.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { hasFeature, useSession } from '../../lib/session.ts'
import * as styles from './home.module.css'

// The frame is drawn before these load: the store of chats, the composer, and the panels beside them.
const HomeComposer = lazyPart(async () => (await import('./home-chats.ts')).HomeComposer)
const RecentChats = lazyPart(async () => (await import('./home-chats.ts')).RecentChats)
const Attention = lazyPart(async () => (await import('./server-panels.tsx')).Attention)
const LoadedModels = lazyPart(async () => (await import('./server-panels.tsx')).LoadedModels)
const ServerPanels = lazyPart(async () => (await import('./server-panels.tsx')).ServerPanels)
const Starters = lazyPart(async () => (await import('./starters.tsx')).Starters)

/** The first page: a composer, matters that need attention, and the state of the server. */
export function HomePage() {
  const { t } = useTranslation('home')
  const { viewer } = useSession()
  const { models, error } = useChatModels()
  const { isAdmin } = viewer
  const canChat = hasFeature(viewer, 'chat')
  return (
    <>
      <PageHead title={t('common:nav.home')} />
      <div className={isAdmin ? `page ${styles.columns}` : `page ${styles.columns} ${styles.isNarrow}`}>
        <div className="stack">
          {models === undefined && error !== null && <ErrorBlock error={error} />}
          <Suspense fallback={<Skeleton lines={1} height={112} />}>
            {models?.length === 0 && <Starters />}
            {canChat && models?.length !== 0 && <HomeComposer models={models} />}
          </Suspense>
          {isAdmin && (
            <Suspense fallback={<Skeleton lines={3} />}>
              <Attention />
              <LoadedModels />
            </Suspense>
          )}
          {!isAdmin && canChat && (
            <Suspense fallback={<Skeleton lines={3} />}>
              <RecentChats />
            </Suspense>
          )}
        </div>
        {isAdmin && (
          <div className="stack">
            <Suspense fallback={<Skeleton lines={6} />}>
              <ServerPanels />
              {canChat && <RecentChats />}
            </Suspense>
          </div>
        )}
      </div>
    </>
  )
}
