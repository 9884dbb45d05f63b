import { useTranslation } from 'react-i18next'
import * as chipStyles from '../../components/ui/chip.module.css'
import { Icon } from '../../components/ui/icon.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'
import type { ChatModel } from '../../lib/chat/models.ts'
import type { ChatSettings } from '../../lib/chat/types.ts'

/** Switches for thinking, if the model can think, and for tools, if the server has some. */
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
  const canThink = models?.find(({ id }) => id === model)?.canThink === true
  return (
    <>
      {canThink && (
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
      {mcp && (
        <button
          type="button"
          className={chipStyles.chip}
          aria-pressed={settings.isUsingTools}
          onClick={() => onChange({ ...settings, isUsingTools: !settings.isUsingTools })}
        >
          <Icon name="tool" small />
          {t('tools.switch')}
        </button>
      )}
    </>
  )
}
