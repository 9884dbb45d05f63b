import { useTranslation } from 'react-i18next'
import { Notice } from '../../components/ui/notice.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { ApiError } from '../../lib/api-error.ts'
import type { RealtimeFault } from '../../lib/realtime/conversation.ts'
import { CallFault } from '../../lib/realtime/link.ts'
import type { TalkEnd, TalkState } from '../../lib/realtime/talk.ts'

/** Failures whose remedy the page knows. */
const ADVISED: ReadonlySet<string> = new Set([
  'invalid_model',
  'model_load_error',
  'transcription_failed',
  'tts_error',
  'speaker_not_authorized',
  'input_audio_buffer_commit_empty',
])

/** Codes of a WebSocket whose meaning the page tells. */
const TOLD_CODES: ReadonlySet<number> = new Set([1000, 1001, 1006, 1008, 1009, 1011, 1013])

/** What a failed stage said, and what to do. */
function FaultText({ fault: { code, message } }: { readonly fault: RealtimeFault }) {
  const { t } = useTranslation('talk')
  return (
    <>
      {message || t('fault.unknown')} {code !== '' && <code>{code}</code>}
      {ADVISED.has(code) && <p>{t(`advice.${code}`)}</p>}
    </>
  )
}

/** Everything that the viewer must know beside the captions. */
export function TalkNotices({ state }: { readonly state: TalkState }) {
  const { t } = useTranslation('talk')
  const { fault, fallback, end, phase, conversation } = state
  return (
    <>
      {fault !== undefined && <Notice tone="bad">{t(`microphone.${fault}`)}</Notice>}
      {fallback !== undefined && phase !== 'ended' && <Notice>{t(`fallback.${fallback}`)}</Notice>}
      {conversation.fault !== undefined && end?.kind !== 'refused' && (
        <Notice tone="bad">
          <FaultText fault={conversation.fault} />
        </Notice>
      )}
      {end !== undefined && <EndNotice end={end} />}
    </>
  )
}

function EndNotice({ end }: { readonly end: TalkEnd }) {
  const { t } = useTranslation('talk')
  switch (end.kind) {
    case 'own':
      return <Notice>{t('end.own')}</Notice>
    case 'refused':
      return (
        <Notice tone="bad">
          <b>{t('end.refused')}</b> <FaultText fault={end} />
        </Notice>
      )
    case 'failed':
      return <FailedNotice error={end.error} />
    case 'closed':
      return (
        <Notice tone="warn">
          {end.reason === 'stalled' ? t('end.stalled') : t(`end.${TOLD_CODES.has(end.code) ? end.code : 'other'}`)}{' '}
          {end.reason !== '' && end.reason !== 'stalled' && <q>{end.reason}</q>}
          <p>{t('end.again')}</p>
        </Notice>
      )
  }
}

function FailedNotice({ error }: { readonly error: unknown }) {
  const { t } = useTranslation('talk')
  if (error instanceof CallFault) return <Notice tone="bad">{t('end.noCall')}</Notice>
  const code = error instanceof ApiError ? error.code : undefined
  if (code === 'socket_failed') return <Notice tone="bad">{t('end.noSocket')}</Notice>
  if (code === 'no_webrtc') return <Notice tone="bad">{t('end.noWebrtc')}</Notice>
  return <ErrorBlock title={t('end.refused')} error={error} />
}
