import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import type { ChatModel } from '../../lib/chat/models.ts'
import { Icon } from '../ui/icon.tsx'
import * as composerStyles from './composer.module.css'

const ModelList = lazy(async () => ({ default: (await import('./model-list.tsx')).ModelList }))

/** Chooses the model that answers. The list loads after the first paint. */
export function ModelPicker({
  models,
  model,
  onModel,
}: {
  readonly models: readonly ChatModel[] | undefined
  readonly model: string
  readonly onModel: (model: string) => void
}) {
  const { t } = useTranslation('chat')
  const name = model === '' ? t('model.none') : model
  const waiting = (
    <span className={`${composerStyles.pick} ${composerStyles.small} ${composerStyles.bare}`} aria-hidden="true">
      <span className="medium clip">{name}</span>
      <Icon name="chevron-down" small />
    </span>
  )
  if (models === undefined) return waiting
  return (
    <Suspense fallback={waiting}>
      <ModelList models={models} model={model} onModel={onModel} />
    </Suspense>
  )
}
