import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { CopyModelButton } from '../../components/models/copy-model.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { PageHead } from '../../components/ui/page-head.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import { installedModelsQuery } from '../../lib/server-state.ts'
import { modelFileQuery } from './api.ts'
import { readDraft } from './drafts.ts'
import { Editor } from './editor.tsx'

const route = getRouteApi('/app/models/$name')

/** The editor of the file of a model that is here. */
export function EditorPage() {
  const { name } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const client = useQueryClient()
  const { t } = useTranslation('models')
  const file = useQuery(modelFileQuery(name))
  const models = useQuery({ ...installedModelsQuery, enabled: file.isError }).data
  const isBuiltIn = models?.some(({ id, source }) => id === name && source === 'demo') === true
  if (file.data === undefined)
    return (
      <>
        <PageHead title={name} />
        <div className="page">
          {isBuiltIn ? (
            <Notice actions={<CopyModelButton name={name} />}>{t('models:withoutFile')}</Notice>
          ) : (
            <QueryView query={file} lines={10}>
              {() => null}
            </QueryView>
          )}
        </div>
      </>
    )
  // a draft stays based on the file that it began with, so that a change by others meanwhile is noticed
  const base = readDraft(name)?.base ?? file.data
  return (
    <Editor
      key={`${name}-${base.revision}`}
      {...{ base, search }}
      title={name}
      draftName={name}
      savedName={name}
      start={base.text}
      onSearch={(next) => void navigate({ to: '.', search: next, replace: true })}
      onSaved={(saved, written) => {
        const next = saved ?? name
        client.setQueryData(modelFileQuery(next).queryKey, written)
        if (next !== name)
          void navigate({ to: '/app/models/$name', params: { name: next }, search, replace: true, ignoreBlocker: true })
      }}
    />
  )
}
