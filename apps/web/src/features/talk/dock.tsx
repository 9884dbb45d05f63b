import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Level } from '../../components/media/level.tsx'
import { Button } from '../../components/ui/button.tsx'
import { TextField } from '../../components/ui/field.tsx'
import type { Talk, TalkState } from '../../lib/realtime/talk.ts'
import { HoldButton } from './hold-button.tsx'
import * as styles from './talk.module.css'

/** The controls of a conversation that runs: the microphone, both levels, and the field for typed messages. */
export function Dock({
  talk,
  state,
  isPushToTalk,
}: {
  readonly talk: Talk
  readonly state: TalkState
  readonly isPushToTalk: boolean
}) {
  const { t } = useTranslation('talk')
  const { phase, microphone, voice, isHeld, isMuted, isSpeaking, isTooShort, conversation } = state
  const isLive = phase === 'live'
  const isAnswering = isSpeaking || conversation.responseId !== undefined
  return (
    <div className={styles.dock}>
      <div className="row wrap">
        {microphone !== undefined &&
          (isPushToTalk ? (
            <HoldButton talk={talk} isHeld={isHeld} disabled={!isLive} />
          ) : (
            <Button icon="microphone" aria-pressed={isMuted} onClick={() => talk.mute(!isMuted)}>
              {isMuted ? t('unmute') : t('mute')}
            </Button>
          ))}
        {isAnswering && (
          <Button icon="stop" onClick={talk.interrupt}>
            {t('interrupt')}
          </Button>
        )}
        <span className="push" />
        {microphone !== undefined && (
          <span className="row meta">
            {t('level.microphone')}
            <Level stream={microphone} />
          </span>
        )}
        {voice !== undefined && (
          <span className="row meta">
            {t('level.voice')}
            <Level key={voice.id} stream={voice} />
          </span>
        )}
      </div>
      {microphone !== undefined && isPushToTalk && (
        <p className="meta">{isTooShort ? t('hold.tooShort') : t('hold.about')}</p>
      )}
      <Message talk={talk} isLive={isLive} />
    </div>
  )
}

function Message({ talk, isLive }: { readonly talk: Talk; readonly isLive: boolean }) {
  const { t } = useTranslation('talk')
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isLive || text.trim() === '') return
    talk.say(text.trim())
    setText('')
  }
  return (
    <form className={styles.message} onSubmit={submit}>
      <TextField
        label={t('message')}
        value={text}
        autoComplete="off"
        maxLength={20_000}
        onChange={({ target }) => setText(target.value)}
      />
      <Button type="submit" icon="send" disabled={!isLive || text.trim() === ''}>
        {t('send')}
      </Button>
    </form>
  )
}
