import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { PageHead } from '../../components/ui/page-head.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { useChatModels } from '../../lib/chat/models.ts'
import { hasFeature, useSession } from '../../lib/session.ts'
import { pollServer } from './api.ts'
import { Attention } from './attention.tsx'
import { HomeComposer } from './home-composer.tsx'
import { LoadedModels } from './loaded-models.tsx'
import { RecentChats } from './recent-chats.tsx'
import { Requests } from './requests.tsx'
import { Resources } from './resources.tsx'
import { Starters } from './starters.tsx'
import './home.css'

/** The first page: a composer, what needs attention, and how the server is. */
export function HomePage() {
  const { t } = useTranslation('home')
  const { viewer } = useSession()
  const { models, error } = useChatModels()
  const client = useQueryClient()
  const { isAdmin } = viewer
  useEffect(() => (isAdmin ? pollServer(client) : undefined), [isAdmin, client])
  const canChat = hasFeature(viewer, 'chat')
  return (
    <>
      <PageHead title={t('common:nav.home')} />
      <div className="page home">
        <div className="stack">
          {models === undefined && error !== null && <ErrorBlock error={error} />}
          {models?.length === 0 && <Starters />}
          {canChat && models?.length !== 0 && <HomeComposer models={models} />}
          {isAdmin && <Attention />}
          {isAdmin && <LoadedModels />}
          {!isAdmin && canChat && <RecentChats />}
        </div>
        <div className="stack">
          {isAdmin && <Requests />}
          {isAdmin && <Resources />}
          {isAdmin && <RecentChats />}
        </div>
      </div>
    </>
  )
}
