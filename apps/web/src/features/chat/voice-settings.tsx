import { useTranslation } from 'react-i18next'
import { VoiceField } from '../../components/media/voice-field.tsx'
import { SelectField } from '../../components/ui/field.tsx'
import { useObservable } from '../../lib/chat/observable.ts'
import { useVoiceModels } from '../../lib/media/models.ts'
import { chooseVoice, pickModel, voiceChoice } from '../../lib/media/voice-choice.ts'

/** The models that hear and speak in all chats of this browser, as far as there are any. */
export function VoiceSettings() {
  const { t } = useTranslation('chat')
  const { hearing, speaking } = useVoiceModels()
  const choice = useObservable(voiceChoice)
  return (
    <>
      {hearing.length > 0 && (
        <SelectField
          label={t('settings.hearing')}
          value={pickModel(hearing, choice.hearing)}
          options={hearing.map((model) => [model, model] as const)}
          onChange={({ target }) => chooseVoice({ hearing: target.value })}
        />
      )}
      {speaking.length > 0 && (
        <>
          <SelectField
            label={t('settings.speaking')}
            value={pickModel(speaking, choice.speaking)}
            options={speaking.map((model) => [model, model] as const)}
            onChange={({ target }) => chooseVoice({ speaking: target.value, voice: '' })}
          />
          <VoiceField
            model={pickModel(speaking, choice.speaking)}
            label={t('settings.voice')}
            hint={t('settings.voiceAbout')}
            value={choice.voice}
            onChange={({ target }) => chooseVoice({ voice: target.value })}
          />
        </>
      )}
    </>
  )
}
