import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Notice } from '../../components/ui/notice.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'
import { useSession } from '../../lib/session.ts'
import type { Pipeline } from './api.ts'

const STAGES = ['vad', 'transcription', 'llm', 'tts'] as const

/** The models of a pipeline, and whether its turns are filtered. */
export function PipelineCard({ pipeline }: { readonly pipeline: Pipeline }) {
  const { t } = useTranslation('talk')
  const stages = STAGES.filter((stage) => pipeline[stage] !== '')
  return (
    <section className="card" aria-labelledby="talk-pipeline">
      <header>
        <h2 id="talk-pipeline">{t('pipeline')}</h2>
      </header>
      <div className="cardBody stack tight">
        {pipeline.self_contained === true && <p>{t('selfContained')}</p>}
        {stages.length > 0 && (
          <dl className="facts">
            {stages.map((stage) => (
              <div key={stage} className="factRow">
                <dt>{t(`stage.${stage}`)}</dt>
                <dd>
                  <ModelName name={pipeline[stage]} />
                </dd>
              </div>
            ))}
          </dl>
        )}
        <Notice tone={pipeline.scanned ? 'ok' : 'warn'}>{pipeline.scanned ? t('scanned') : t('notScanned')}</Notice>
      </div>
    </section>
  )
}

/** The name of a model; a link to it for those who may see models. */
function ModelName({ name }: { readonly name: string }) {
  const { isAdmin } = useSession().viewer
  const { model_editor: hasEditor } = useCapabilities()
  if (!isAdmin || !hasEditor) return <span className="monospace">{name}</span>
  return (
    <Link className="monospace" to="/app/models" search={{ view: 'installed', model: name }}>
      {name}
    </Link>
  )
}
