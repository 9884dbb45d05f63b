import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { VoiceField } from '../../components/media/voice-field.tsx'
import { SelectField, Switch, TextArea } from '../../components/ui/field.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import { useObservable } from '../../lib/chat/observable.ts'
import { DETECTIONS, EAGERNESS } from '../../lib/realtime/session-settings.ts'
import type { Pipeline } from './api.ts'
import { chooseTalk, TRANSPORTS, talkChoices } from './choices.ts'

/** Choices for conversations. They hold at once, but for the way to the server. */
export function SettingsCard({ pipeline }: { readonly pipeline: Pipeline }) {
  const { t } = useTranslation('talk')
  const choices = useObservable(talkChoices)
  return (
    <section className="card" aria-labelledby="talk-settings">
      <header>
        <h2 id="talk-settings">{t('settings.title')}</h2>
      </header>
      <div className="cardBody stack">
        <TurnFields />
        <Switch
          label={t('settings.silent')}
          checked={choices.isSilent}
          onChange={({ target }) => chooseTalk({ isSilent: target.checked })}
        />
        {!choices.isSilent && <VoiceName pipeline={pipeline} />}
        <Instructions />
        <SelectField
          label={t('settings.transport')}
          hint={t('settings.transportAbout')}
          value={choices.transport}
          options={TRANSPORTS.map((transport) => [transport, t(`transport.${transport}`)] as const)}
          onChange={({ target }) =>
            chooseTalk({ transport: TRANSPORTS.find((transport) => transport === target.value) ?? 'auto' })
          }
        />
        <Switch
          label={t('settings.announce')}
          checked={choices.isAnnounced}
          onChange={({ target }) => chooseTalk({ isAnnounced: target.checked })}
        />
      </div>
    </section>
  )
}

/** How turns begin and end. */
function TurnFields() {
  const { t } = useTranslation('talk')
  const { isPushToTalk, detection, eagerness, mayInterrupt } = useObservable(talkChoices)
  return (
    <>
      <Segmented
        label={t('settings.turns')}
        value={isPushToTalk ? 'push' : 'free'}
        options={[
          ['push', t('settings.push')],
          ['free', t('settings.free')],
        ]}
        onChange={(value) => chooseTalk({ isPushToTalk: value === 'push' })}
      />
      {!isPushToTalk && (
        <>
          <SelectField
            label={t('settings.detection')}
            value={detection}
            options={DETECTIONS.map((one) => [one, t(`detection.${one}`)] as const)}
            onChange={({ target }) =>
              chooseTalk({ detection: DETECTIONS.find((one) => one === target.value) ?? 'pipeline' })
            }
          />
          {detection === 'semantic_vad' && (
            <SelectField
              label={t('settings.eagerness')}
              value={eagerness}
              options={EAGERNESS.map((one) => [one, t(`eagerness.${one}`)] as const)}
              onChange={({ target }) =>
                chooseTalk({ eagerness: EAGERNESS.find((one) => one === target.value) ?? 'auto' })
              }
            />
          )}
          <Switch
            label={t('settings.interrupt')}
            checked={mayInterrupt}
            onChange={({ target }) => chooseTalk({ mayInterrupt: target.checked })}
          />
        </>
      )}
    </>
  )
}

/** A text that holds once its field is left, so that a conversation is not told each letter. */
function useLateText(value: string, keep: (value: string) => void) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  return {
    value: text,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => setText(target.value),
    onBlur: () => text !== value && keep(text),
  }
}

function VoiceName({ pipeline: { tts, voice, name } }: { readonly pipeline: Pipeline }) {
  const { t } = useTranslation('talk')
  const choices = useObservable(talkChoices)
  const field = useLateText(choices.voice, (chosen) => chooseTalk({ voice: chosen.trim() }))
  return (
    <VoiceField
      model={tts || name}
      label={t('settings.voice')}
      hint={t('settings.voiceAbout')}
      placeholder={voice}
      maxLength={200}
      {...field}
    />
  )
}

function Instructions() {
  const { t } = useTranslation('talk')
  const choices = useObservable(talkChoices)
  const field = useLateText(choices.instructions, (instructions) => chooseTalk({ instructions }))
  return (
    <TextArea
      label={t('settings.instructions')}
      hint={t('settings.instructionsAbout')}
      rows={3}
      maxLength={20_000}
      {...field}
    />
  )
}
