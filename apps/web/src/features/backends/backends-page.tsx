import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { PageHead } from '../../components/ui/page-head.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import { useConnection } from '../../lib/connection.ts'
import { installedQuery } from './api.ts'
import { ExternalDialog } from './external-dialog.tsx'
import { GalleryView } from './gallery-view.tsx'
import { InstalledView } from './installed-view.tsx'

const route = getRouteApi('/app/backends')

/** Programs that run models: of the galleries, and here. */
export function BackendsPage() {
  const { t } = useTranslation('backends')
  const { view = 'explore' } = route.useSearch()
  const navigate = route.useNavigate()
  const isOffline = useConnection().state === 'offline'
  const [isAdding, setAdding] = useState(false)
  const count = useQuery(installedQuery).data?.installed.length
  return (
    <>
      <PageHead title={t('common:nav.backends')}>
        <Segmented
          label={t('view.label')}
          value={view}
          options={[
            ['explore', t('view.explore')],
            ['installed', count === undefined ? t('view.installed') : t('view.installedCount', { count })],
          ]}
          onChange={(next) => void navigate({ to: '.', search: { view: next } })}
        />
        <div className="row push">
          <Button icon="plus" disabled={isOffline} onClick={() => setAdding(true)}>
            {t('external.add')}
          </Button>
        </div>
      </PageHead>
      {view === 'explore' ? <GalleryView /> : <InstalledView />}
      {isAdding && <ExternalDialog onClose={() => setAdding(false)} />}
    </>
  )
}
