import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import * as chipStyles from '../../components/ui/chip.module.css'
import { Icon } from '../../components/ui/icon.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'
import type { ChatModel } from '../../lib/chat/models.ts'
import type { ChatSettings } from '../../lib/chat/types.ts'
import { hasFeature, useSession } from '../../lib/session.ts'

const ToolsSwitch = lazy(async () => ({ default: (await import('./tools-switch.tsx')).ToolsSwitch }))

/** Switches for thinking, if the model can think, and for tools, if it is connected to some. */
export function Switches({
  models,
  model,
  settings,
  onChange,
}: {
  readonly models: readonly ChatModel[] | undefined
  readonly model: string
  readonly settings: ChatSettings
  readonly onChange: (settings: ChatSettings) => void
}) {
  const { t } = useTranslation('chat')
  const { mcp } = useCapabilities()
  const { viewer } = useSession()
  const known = models?.find(({ id }) => id === model)
  return (
    <>
      {known?.canThink === true && (
        <button
          type="button"
          className={chipStyles.chip}
          aria-pressed={settings.isThinking}
          onClick={() => onChange({ ...settings, isThinking: !settings.isThinking })}
        >
          <Icon name="thinking" small />
          {t('thinking.switch')}
        </button>
      )}
      {mcp && known?.hasTools === true && hasFeature(viewer, 'mcp') && (
        <Suspense>
          <ToolsSwitch model={model} settings={settings} onChange={onChange} />
        </Suspense>
      )}
    </>
  )
}
