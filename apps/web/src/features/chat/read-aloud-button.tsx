import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../components/ui/button.tsx'
import { useObservable } from '../../lib/chat/observable.ts'
import { useVoiceModels } from '../../lib/media/models.ts'
import { reader } from '../../lib/media/read-aloud.ts'
import { pickModel, voiceChoice } from '../../lib/media/voice-choice.ts'

/** Reads an answer aloud, and stops; absent without a model that speaks. */
export function ReadAloudButton({ id, text }: { readonly id: string; readonly text: string }) {
  const { t } = useTranslation('chat')
  const { speaking } = useVoiceModels()
  const choice = useObservable(voiceChoice)
  const reading = useObservable(reader.reading)
  const model = pickModel(speaking, choice.speaking)
  // the button that stops it goes away with the answer
  useEffect(
    () => () => {
      const now = reader.reading.get()
      if (now.phase !== 'silent' && now.id === id) reader.stop()
    },
    [id],
  )
  if (model === undefined) return null
  const isOwn = reading.phase !== 'silent' && reading.id === id
  if (isOwn && reading.phase !== 'failed') {
    return (
      <IconButton
        small
        icon="stop"
        label={t('readAloud.stop')}
        aria-busy={reading.phase === 'waiting'}
        onClick={reader.stop}
      />
    )
  }
  const voice = choice.voice === '' ? {} : { voice: choice.voice }
  return (
    <IconButton
      small
      icon="speaker"
      label={t('readAloud.start')}
      disabled={text.trim() === ''}
      onClick={() => void reader.start(id, text, { model, ...voice })}
    />
  )
}
