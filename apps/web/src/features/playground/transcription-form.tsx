import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { RecordButton } from '../../components/media/record-button.tsx'
import { Checkbox, SelectField, TextField } from '../../components/ui/field.tsx'
import { toUrl } from '../../lib/base-path.ts'
import { compareNames } from '../../lib/format.ts'
import { transcribe } from '../../lib/media/calls.ts'
import { useSession } from '../../lib/session.ts'
import { writeFormCurl } from './commands.ts'
import { FileDrop } from './file-drop.tsx'
import { MediaForm } from './media-form.tsx'
import * as styles from './playground.module.css'
import { TranscriptView } from './transcript-view.tsx'
import { useRun } from './use-run.ts'

/** Longest recording of the microphone, in seconds. */
const LIMIT_SECONDS = 600

/** Languages that the common recognisers know. */
const CODES = (
  'af ar az be bg bn bs ca cs cy da de el en es et eu fa fi fr gl gu he hi hr hu hy id is it ja ka kk km kn ko lt lv mk ' +
  'ml mn mr ms my ne nl no pa pl ps pt ro ru sd si sk sl so sq sr sv sw ta te tg th tl tr uk ur uz vi yo zh'
).split(' ')

interface Fields {
  readonly file: File | undefined
  readonly language: string
  readonly prompt: string
  readonly translate: boolean
}

const EMPTY: Fields = { file: undefined, language: '', prompt: '', translate: false }

/** Writes down a recording. @param children content above the fields */
export function TranscriptionForm({ model, children }: { readonly model: string; readonly children: ReactNode }) {
  const { t, i18n } = useTranslation('playground')
  const { viewer } = useSession()
  const [fields, setFields] = useState(EMPTY)
  const change = (changed: Partial<Fields>) => setFields((before) => ({ ...before, ...changed }))
  const { file, language, prompt, translate } = fields
  const run = useRun(async (recording: File, signal) => ({
    recording,
    transcript: await transcribe({ model, file: recording, language, prompt, translate }, signal),
  }))
  const names = new Intl.DisplayNames(i18n.language, { type: 'language' })
  const languages = CODES.map((code) => [code, names.of(code) ?? code] as const)
  const command = writeFormCurl(
    toUrl('/v1/audio/transcriptions'),
    [
      ['model', model],
      ['file', `@${file?.name.replace(/[^\w.-]/g, '_') ?? 'recording.wav'}`],
      ...(language === '' ? [] : [['language', language] as const]),
      ...(prompt.trim() === '' ? [] : [['prompt', prompt] as const]),
      ...(translate ? [['translate', 'true'] as const] : []),
      ['response_format', 'verbose_json'],
      ['timestamp_granularities[]', 'word'],
    ],
    viewer.kind !== 'open',
  )
  return (
    <MediaForm
      run={run}
      isReady={file !== undefined}
      onRun={() => file && run.start(file)}
      action={t('transcription.run')}
      command={command}
      fields={
        <>
          {children}
          <FileDrop
            accept="audio/*,video/*"
            file={file}
            title={t('transcription.drop')}
            onFile={(chosen) => change({ file: chosen })}
          >
            <RecordButton
              limitSeconds={LIMIT_SECONDS}
              isDisabled={run.isRunning}
              onRecorded={(recorded) => change({ file: recorded })}
            />
          </FileDrop>
          <div className={styles.fields}>
            <SelectField
              label={t('transcription.language')}
              value={language}
              options={[
                ['', t('transcription.anyLanguage')],
                ...languages.sort(([, left], [, right]) => compareNames(left, right)),
              ]}
              onChange={({ target }) => change({ language: target.value })}
            />
            <TextField
              label={t('transcription.prompt')}
              hint={t('transcription.promptAbout')}
              value={prompt}
              onChange={({ target }) => change({ prompt: target.value })}
            />
          </div>
          <Checkbox
            label={t('transcription.translate')}
            checked={translate}
            onChange={({ target }) => change({ translate: target.checked })}
          />
        </>
      }
    >
      {run.reply && <TranscriptView {...run.reply} />}
    </MediaForm>
  )
}
