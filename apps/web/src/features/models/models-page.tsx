import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { buttonClass } from '../../components/ui/button.tsx'
import { Icon } from '../../components/ui/icon.tsx'
import * as listDetailStyles from '../../components/ui/list-detail.module.css'
import { Notice } from '../../components/ui/notice.tsx'
import { PageHead } from '../../components/ui/page-head.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'
import { formatBytes } from '../../lib/format.ts'
import { installedModelsQuery } from '../../lib/server-state.ts'
import { folderProblemQuery, hostQuery } from './api.ts'
import { GalleryView } from './gallery-view.tsx'
import { InstalledView } from './installed-view.tsx'
import { UnusedView } from './unused-view.tsx'

const route = getRouteApi('/app/models')

/** Models of the galleries, and models that are here. */
export function ModelsPage() {
  const { t } = useTranslation('models')
  const { view } = route.useSearch()
  const navigate = route.useNavigate()
  const { model_gallery: hasGallery, model_editor: hasEditor } = useCapabilities()
  const shown = view === 'explore' || view === undefined ? (hasGallery ? 'explore' : 'installed') : view
  const count = useQuery(installedModelsQuery).data?.length
  const host = useQuery(hostQuery).data
  return (
    <>
      <PageHead title={t('common:nav.models')}>
        <Segmented
          label={t('view.label')}
          value={shown}
          options={[
            ...(hasGallery ? [['explore', t('view.explore')] as const] : []),
            ['installed', count === undefined ? t('view.installed') : t('view.installedCount', { count })],
            ['unused', t('view.unused')],
          ]}
          onChange={(next) => void navigate({ to: '.', search: { view: next } })}
        />
        <div className="row push">
          {host && (
            <span className={`meta row notOnPhone ${listDetailStyles.host}`}>
              <Icon name="cpu" small />
              {t(host.hasGpu ? 'host.gpu' : 'host.ram', {
                total: formatBytes(host.total),
                free: formatBytes(host.free),
              })}
            </span>
          )}
          {hasEditor && (
            <Link className={buttonClass()} to="/app/models/new">
              <Icon name="plus" small />
              {t('add')}
            </Link>
          )}
        </div>
      </PageHead>
      <FolderNotice />
      {shown === 'explore' ? <GalleryView /> : shown === 'installed' ? <InstalledView /> : <UnusedView />}
    </>
  )
}

/** Says that the server cannot write its models folder. */
function FolderNotice() {
  const { t } = useTranslation('models')
  const problem = useQuery(folderProblemQuery).data
  return problem ? <Notice tone="bad">{t('folderProblem', { ...problem })}</Notice> : null
}
