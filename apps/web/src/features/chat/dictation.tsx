import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { TraceLink } from '../../components/chat/trace-link.tsx'
import { Level } from '../../components/media/level.tsx'
import { RecordedTime, RecorderFault } from '../../components/media/record-button.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { Status } from '../../components/ui/status.tsx'
import { ApiError } from '../../lib/api-error.ts'
import { useObservable } from '../../lib/chat/observable.ts'
import { useChatStore } from '../../lib/chat/use-chats.ts'
import { transcribe } from '../../lib/media/calls.ts'
import { useVoiceModels } from '../../lib/media/models.ts'
import { useRecorder } from '../../lib/media/use-recorder.ts'
import { pickModel, voiceChoice } from '../../lib/media/voice-choice.ts'
import * as styles from './chat.module.css'

/** Longest message that is spoken, in seconds. */
const LIMIT_SECONDS = 180

/** Adds a spoken text to what is written already. */
export function joinTexts(written: string, spoken: string): string {
  const added = spoken.trim()
  return written === '' || /\s$/.test(written) || added === '' ? written + added : `${written} ${added}`
}

/** The microphone of a composer: what is said becomes text in its field. Absent without a model that hears. */
export function Dictation({ draftKey }: { readonly draftKey: string }) {
  const { hearing } = useVoiceModels()
  const choice = useObservable(voiceChoice)
  const model = pickModel(hearing, choice.hearing)
  return model === undefined ? null : <Microphone key={draftKey} draftKey={draftKey} model={model} />
}

function Microphone({ draftKey, model }: { readonly draftKey: string; readonly model: string }) {
  const { t } = useTranslation('chat')
  const draft = useChatStore().drafts.open(draftKey)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const hear = useMutation({
    mutationFn: async (file: File) => {
      running.current = new AbortController()
      const input = { model, file, language: '', prompt: '', translate: false }
      const { text } = await transcribe(input, running.current.signal)
      draft.set({ ...draft.get(), text: joinTexts(draft.get().text, text) })
      document.querySelector<HTMLElement>('[data-composer]')?.focus()
    },
  })
  const { recorder, state } = useRecorder(LIMIT_SECONDS, (file) => hear.mutate(file))
  const { error } = hear
  const fault = error === null || error.name === 'AbortError' ? undefined : error
  if (state.phase === 'recording') {
    return (
      <div className={`row ${styles.dictation}`}>
        <Button small kind="primary" icon="stop" onClick={recorder.stop}>
          {t('record.stop')}
        </Button>
        <Level stream={state.stream} />
        <RecordedTime startedAt={state.startedAt} limitSeconds={LIMIT_SECONDS} />
        <IconButton small icon="x" label={t('record.drop')} onClick={recorder.cancel} />
        <RecorderFault state={state} />
      </div>
    )
  }
  if (hear.isPending) {
    return (
      <div className={`row ${styles.dictation}`} role="status">
        <Status tone="run">{t('dictate.hearing')}</Status>
        <Button small onClick={() => running.current?.abort()}>
          {t('common:cancel')}
        </Button>
      </div>
    )
  }
  return (
    <>
      <IconButton
        small
        icon="microphone"
        label={t('dictate.start')}
        disabled={state.phase === 'asking'}
        onClick={() => void recorder.start()}
      />
      {(fault !== undefined || state.phase === 'failed') && (
        <div className={styles.dictation}>
          <RecorderFault state={state} />
          {fault !== undefined && (
            <ErrorBlock
              error={fault}
              actions={<TraceLink correlationId={fault instanceof ApiError ? fault.correlationId : undefined} />}
            />
          )}
        </div>
      )}
    </>
  )
}
