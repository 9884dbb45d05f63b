import { useTranslation } from 'react-i18next'
import { writeShortTime } from '../../lib/media/cues.ts'
import type { RecorderState } from '../../lib/media/recorder.ts'
import { useRecorder } from '../../lib/media/use-recorder.ts'
import { useNow } from '../../lib/use-now.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Level } from './level.tsx'
import * as styles from './media.module.css'

/** Records the microphone: the press that begins, then the time, the level, and the presses that end. */
export function RecordButton({
  limitSeconds,
  onRecorded,
  isDisabled = false,
}: {
  readonly limitSeconds: number
  readonly onRecorded: (file: File) => void
  readonly isDisabled?: boolean
}) {
  const { t } = useTranslation('chat')
  const { recorder, state } = useRecorder(limitSeconds, onRecorded)
  return (
    <>
      {state.phase === 'recording' ? (
        <span className={`row wrap ${styles.recording}`}>
          <Button kind="primary" icon="stop" onClick={recorder.stop}>
            {t('record.stop')}
          </Button>
          <Level stream={state.stream} />
          <RecordedTime startedAt={state.startedAt} limitSeconds={limitSeconds} />
          <IconButton small icon="x" label={t('record.drop')} onClick={recorder.cancel} />
        </span>
      ) : (
        <Button
          icon="microphone"
          busy={state.phase === 'asking'}
          disabled={isDisabled}
          onClick={() => void recorder.start()}
        >
          {t('record.start')}
        </Button>
      )}
      <RecorderFault state={state} />
    </>
  )
}

/** The length of a recording so far, and the longest one. */
export function RecordedTime({
  startedAt,
  limitSeconds,
}: {
  readonly startedAt: number
  readonly limitSeconds: number
}) {
  const { t } = useTranslation('chat')
  const now = useNow(true)
  const seconds = Math.min(limitSeconds, Math.max(0, (now - startedAt) / 1000))
  return (
    <span className={`meta ${styles.time}`}>
      {t('record.time', { time: writeShortTime(Math.floor(seconds)), limit: writeShortTime(limitSeconds) })}
    </span>
  )
}

/** Says why nothing is recorded, and that something is. */
export function RecorderFault({ state }: { readonly state: RecorderState }) {
  const { t } = useTranslation('chat')
  return (
    <span role="status" className={state.phase === 'failed' ? styles.fault : 'visuallyHidden'}>
      {state.phase === 'failed' && t(`record.fault.${state.fault}`)}
      {state.phase === 'recording' && t('record.running')}
    </span>
  )
}
