import { useEffect, useState } from 'react'
import { useObservable } from '../../lib/chat/observable.ts'
import { BROWSER_PORTS } from '../../lib/realtime/browser-ports.ts'
import { createTalk, type Talk, type TalkState } from '../../lib/realtime/talk.ts'
import { talkChoices } from './choices.ts'

/** A conversation that lives as long as the page: leaving it ends the conversation and frees the microphone. */
export function useTalk(): { readonly talk: Talk; readonly state: TalkState } {
  const [talk] = useState(() => createTalk(BROWSER_PORTS))
  useEffect(() => {
    const end = talkChoices.subscribe(() => talk.change(talkChoices.get()))
    return () => {
      end()
      talk.end()
    }
  }, [talk])
  return { talk, state: useObservable(talk.state) }
}

/** Whether a conversation runs or begins. */
export function isRunning({ phase }: TalkState): boolean {
  return phase !== 'idle' && phase !== 'ended'
}
