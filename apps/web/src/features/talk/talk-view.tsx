import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { SelectField } from '../../components/ui/field.tsx'
import { Status } from '../../components/ui/status.tsx'
import { useObservable } from '../../lib/chat/observable.ts'
import { useConnection } from '../../lib/connection.ts'
import type { TalkState } from '../../lib/realtime/talk.ts'
import { Announcer } from './announcer.tsx'
import type { Pipeline } from './api.ts'
import { Captions } from './captions.tsx'
import { talkChoices } from './choices.ts'
import { Dock } from './dock.tsx'
import { TalkNotices } from './notices.tsx'
import { PipelineCard } from './pipeline-card.tsx'
import { SettingsCard } from './settings-card.tsx'
import * as styles from './talk.module.css'
import { TurnCard } from './turn-card.tsx'
import { useTalkKeys } from './use-keys.ts'
import { isRunning, useTalk } from './use-talk.ts'

/** A conversation with a pipeline: its captions and controls, and beside them its settings and figures. */
export function TalkView({
  pipeline,
  names,
  onChoose,
}: {
  readonly pipeline: Pipeline
  readonly names: readonly string[]
  readonly onChoose: (name: string) => void
}) {
  const { t } = useTranslation('talk')
  const { talk, state } = useTalk()
  const choices = useObservable(talkChoices)
  const isOffline = useConnection().state === 'offline'
  const isOn = isRunning(state)
  useTalkKeys(talk, state.phase === 'live')
  const start = (hasMicrophone: boolean) => {
    const { transport, ...settings } = choices
    void talk.start({ model: pipeline.name, transcription: pipeline.transcription, transport, settings, hasMicrophone })
  }
  return (
    <div className={styles.page}>
      <section className={styles.main} aria-label={t('conversation')}>
        <div className={styles.bar}>
          {isOn ? (
            <p>
              {t('pipeline')}: <b className="monospace">{pipeline.name}</b>
            </p>
          ) : (
            <SelectField
              label={t('pipeline')}
              value={pipeline.name}
              options={names.map((name) => [name, name] as const)}
              onChange={({ target }) => onChoose(target.value)}
            />
          )}
          {isOn ? (
            <Button kind="danger" icon="stop" onClick={talk.end}>
              {state.phase === 'live' ? t('endTalk') : t('common:cancel')}
            </Button>
          ) : (
            <>
              <Button kind="primary" icon="microphone" disabled={isOffline} onClick={() => start(true)}>
                {t('start')}
              </Button>
              <Button icon="chat" disabled={isOffline} onClick={() => start(false)}>
                {t('startSilent')}
              </Button>
            </>
          )}
          <Activity state={state} isPushToTalk={choices.isPushToTalk} />
        </div>
        <TalkNotices state={state} />
        <Captions entries={state.conversation.entries} talk={talk} />
        {isOn && <Dock talk={talk} state={state} isPushToTalk={choices.isPushToTalk} />}
        {choices.isAnnounced && <Announcer entries={state.conversation.entries} />}
      </section>
      <div className={styles.aside}>
        <TurnCard times={state.conversation.times} />
        <SettingsCard pipeline={pipeline} />
        <PipelineCard pipeline={pipeline} />
      </div>
    </div>
  )
}

type Word =
  | 'idle'
  | 'asking'
  | 'connecting'
  | 'loading'
  | 'ended'
  | 'hearing'
  | 'speaking'
  | 'thinking'
  | 'muted'
  | 'listening'
  | 'ready'

/** What happens now, in one word. */
function findWord(state: TalkState, isPushToTalk: boolean): Word {
  const { phase, isHeld, isMuted, isSpeaking, microphone, conversation } = state
  if (phase !== 'live') return phase
  if (isHeld || conversation.isHearing) return 'hearing'
  if (isSpeaking) return 'speaking'
  if (conversation.responseId !== undefined) return 'thinking'
  if (isPushToTalk || microphone === undefined) return 'ready'
  return isMuted ? 'muted' : 'listening'
}

function Activity({ state, isPushToTalk }: { readonly state: TalkState; readonly isPushToTalk: boolean }) {
  const { t } = useTranslation('talk')
  const word = findWord(state, isPushToTalk)
  const { transport, phase } = state
  return (
    <>
      <span data-activity={word}>
        <Status tone={phase === 'live' ? 'ok' : isRunning(state) ? 'run' : 'neutral'}>{t(`activity.${word}`)}</Status>
      </span>
      {transport !== undefined && phase !== 'idle' && (
        <span className="meta" data-transport={transport}>
          {t(`transport.name.${transport}`)}
        </span>
      )}
      {/* each word of a turn would interrupt the talk */}
      <span className="visuallyHidden" role="status">
        {t(`activity.${phase === 'live' ? 'live' : phase}`)}
      </span>
    </>
  )
}
