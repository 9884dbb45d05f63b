import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { VoiceField } from '../../components/media/voice-field.tsx'
import { Checkbox, SelectField, TextArea, TextField } from '../../components/ui/field.tsx'
import { toUrl } from '../../lib/base-path.ts'
import { type SpeechBody, speak, speakLive } from '../../lib/media/calls.ts'
import { createLiveSound, type LiveSound } from '../../lib/media/live-sound.ts'
import { useSession } from '../../lib/session.ts'
import { writeCurl } from './commands.ts'
import { MediaForm } from './media-form.tsx'
import { NumberField, type NumberRange, readNumber } from './number-field.tsx'
import * as styles from './playground.module.css'
import { SpeechResult } from './speech-result.tsx'
import { useRun } from './use-run.ts'

const FORMATS = ['', 'mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const
type Format = (typeof FORMATS)[number]

const SPEED: NumberRange = { min: 0.25, max: 4, step: 0.05 }

interface Fields {
  readonly text: string
  readonly voice: string
  readonly format: Format
  readonly speed: string
  readonly instructions: string
  readonly isLive: boolean
}

const EMPTY: Fields = { text: '', voice: '', format: '', speed: '', instructions: '', isLive: false }

/** Only WAV is played while it is made: it needs no decoder. */
const isLiveFormat = (format: Format) => format === '' || format === 'wav'

function toBody(model: string, { text, voice, format, speed, instructions }: Fields): SpeechBody {
  return {
    model,
    input: text,
    ...(voice.trim() !== '' && { voice: voice.trim() }),
    ...(format !== '' && { response_format: format }),
    ...(speed !== '' && { speed: Number(speed) }),
    ...(instructions.trim() !== '' && { instructions }),
  }
}

/** Speaks a text. @param children content above the fields */
export function SpeechForm({ model, children }: { readonly model: string; readonly children: ReactNode }) {
  const { t } = useTranslation('playground')
  const { viewer } = useSession()
  const [fields, setFields] = useState(EMPTY)
  const change = (changed: Partial<Fields>) => setFields({ ...fields, ...changed })
  const body = toBody(model, fields)
  const isLive = fields.isLive && isLiveFormat(fields.format)
  const sound = useRef<LiveSound>(undefined)
  useEffect(() => () => sound.current?.close(), [])
  const run = useRun(async (input: { readonly body: SpeechBody; readonly live: LiveSound | undefined }, signal) => {
    if (input.live === undefined) return speak(input.body, signal)
    const live = input.live
    signal.addEventListener('abort', live.close, { once: true })
    try {
      return await hear(await speakLive(input.body, signal), live)
    } finally {
      live.close()
    }
  })
  const start = () => {
    // browsers let a page play what a press has begun
    sound.current = isLive ? createLiveSound(new AudioContext()) : undefined
    run.start({ body, live: sound.current })
  }
  const output = `speech.${fields.format || 'wav'}`
  return (
    <MediaForm
      run={run}
      isReady={fields.text.trim() !== '' && readNumber(fields.speed, SPEED) !== 'wrong'}
      onRun={start}
      action={t('speech.run')}
      command={writeCurl(toUrl('/v1/audio/speech'), isLive ? { ...body, stream: true } : body, {
        needsKey: viewer.kind !== 'open',
        output,
      })}
      fields={
        <>
          {children}
          <TextArea
            label={t('speech.text')}
            rows={6}
            value={fields.text}
            onChange={({ target }) => change({ text: target.value })}
          />
          <div className={styles.fields}>
            <VoiceField
              model={model}
              label={t('speech.voice')}
              hint={t('speech.voiceAbout')}
              value={fields.voice}
              onChange={({ target }) => change({ voice: target.value })}
            />
            <SelectField
              label={t('speech.format')}
              value={fields.format}
              options={FORMATS.map((format) => [format, format === '' ? t('speech.asMade') : format.toUpperCase()])}
              onChange={({ target }) => change({ format: FORMATS.find((each) => each === target.value) ?? '' })}
            />
            <NumberField
              label={t('speech.speed')}
              text={fields.speed}
              range={SPEED}
              placeholder="1"
              onChange={(speed) => change({ speed })}
            />
          </div>
          <TextField
            label={t('speech.instructions')}
            hint={t('speech.instructionsAbout')}
            value={fields.instructions}
            onChange={({ target }) => change({ instructions: target.value })}
          />
          <div>
            <Checkbox
              label={t('speech.live')}
              checked={isLive}
              disabled={!isLiveFormat(fields.format)}
              onChange={({ target }) => change({ isLive: target.checked })}
            />
            {!isLiveFormat(fields.format) && <p className="meta">{t('speech.liveFormats')}</p>}
          </div>
        </>
      }
    >
      {run.reply && <SpeechResult sound={run.reply} />}
    </MediaForm>
  )
}

/** Plays a sound while it arrives. @returns the whole file */
async function hear(bytes: ReadableStream<Uint8Array>, sound: LiveSound): Promise<Blob> {
  const reader = bytes.getReader()
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) break
      sound.push(value)
    }
    await sound.finish()
    return sound.toFile()
  } finally {
    reader.cancel().catch(() => {})
  }
}
