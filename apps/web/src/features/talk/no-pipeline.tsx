import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { buttonClass } from '../../components/ui/button.tsx'
import { CodeBlock } from '../../components/ui/code-block.tsx'
import { EmptyState } from '../../components/ui/states.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'
import { PIPELINE_TEMPLATE } from '../../lib/realtime/pipeline-template.ts'
import { useSession } from '../../lib/session.ts'

/** Says what a pipeline is, and how to make one. */
export function NoPipeline() {
  const { t } = useTranslation('talk')
  const { isAdmin } = useSession().viewer
  const { model_editor: hasEditor } = useCapabilities()
  return (
    <>
      <EmptyState
        icon="microphone"
        title={t('none.title')}
        action={
          isAdmin &&
          hasEditor && (
            <Link className={buttonClass()} to="/app/models/new" search={{ from: 'template' }}>
              {t('none.make')}
            </Link>
          )
        }
      >
        {isAdmin ? t('none.about') : t('none.user')}
      </EmptyState>
      {isAdmin && <CodeBlock title={t('none.example')} text={PIPELINE_TEMPLATE} />}
    </>
  )
}
