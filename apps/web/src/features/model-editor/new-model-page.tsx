import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { PageHead } from '../../components/ui/page-head.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import { Skeleton } from '../../components/ui/states.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'
import { ImportFile } from './import-file.tsx'
import { ImportUri } from './import-uri.tsx'
import * as styles from './model-editor.module.css'
import type { EditorSearch } from './search.ts'
import { TEMPLATES } from './templates.ts'

const route = getRouteApi('/app/models/new')
// the choice of a source needs no parser of YAML
const Editor = lazy(async () => ({ default: (await import('./editor.tsx')).Editor }))

/** Adds a model: from a template, from an address, or from a file. */
export function NewModelPage() {
  const { t } = useTranslation('model-editor')
  const { from = 'template' } = route.useSearch()
  const navigate = route.useNavigate()
  const { model_gallery: canImport } = useCapabilities()
  const [start, setStart] = useState<{ readonly id: string; readonly text: string }>()
  const [search, setSearch] = useState<EditorSearch>({ view: 'yaml' })
  if (start !== undefined)
    return (
      <Suspense fallback={<Skeleton lines={10} />}>
        <Editor
          key={start.id}
          title={t('newModel')}
          draftName={`new ${start.id}`}
          base={undefined}
          savedName={undefined}
          start={start.text}
          search={search}
          onSearch={setSearch}
          onSaved={(name) => {
            if (name === undefined) void navigate({ to: '/app/models', search: { view: 'installed' } })
            else void navigate({ to: '/app/models/$name', params: { name }, replace: true, ignoreBlocker: true })
          }}
        />
      </Suspense>
    )
  return (
    <>
      <PageHead title={t('newModel')}>
        <Segmented
          label={t('source.label')}
          value={from}
          options={[
            ['template', t('source.template')],
            ...(canImport ? [['uri', t('source.uri')] as const] : []),
            ['file', t('source.file')],
          ]}
          onChange={(next) => void navigate({ to: '.', search: { from: next }, replace: true })}
        />
      </PageHead>
      <div className="page">
        {from === 'template' && <TemplateList onChoose={setStart} />}
        {from === 'uri' && canImport && <ImportUri />}
        {from === 'file' && <ImportFile onRead={(text) => setStart({ id: 'file', text })} />}
      </div>
    </>
  )
}

function TemplateList({
  onChoose,
}: {
  readonly onChoose: (template: { readonly id: string; readonly text: string }) => void
}) {
  const { t } = useTranslation('model-editor')
  return (
    <ul className={styles.templates}>
      {TEMPLATES.map((template) => (
        <li key={template.id}>
          <button type="button" className={`card ${styles.template}`} onClick={() => onChoose(template)}>
            <b>{t(`template.${template.id}`)}</b>
            <span className="muted">{t(`template.${template.id}About`)}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
