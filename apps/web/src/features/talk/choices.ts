import { createObservable, type Observable } from '../../lib/chat/observable.ts'
import type { TransportChoice } from '../../lib/realtime/connect.ts'
import { DETECTIONS, EAGERNESS, type TalkSettings } from '../../lib/realtime/session-settings.ts'
import { onSignOut } from '../../lib/viewer-data.ts'

/** What the viewer has chosen for conversations. */
export interface TalkChoices extends TalkSettings {
  readonly transport: TransportChoice
  /** Whether finished captions are read to screen readers. */
  readonly isAnnounced: boolean
}

export const TRANSPORTS = ['auto', 'webrtc', 'websocket'] as const

const STORED = 'svc-talk'
const FIRST: TalkChoices = {
  isPushToTalk: true,
  detection: 'pipeline',
  eagerness: 'auto',
  mayInterrupt: true,
  isSilent: false,
  voice: '',
  instructions: '',
  transport: 'auto',
  isAnnounced: true,
}

/** Values of fields that take one of a few. */
const LISTS: Readonly<Record<string, readonly unknown[]>> = {
  detection: DETECTIONS,
  eagerness: EAGERNESS,
  transport: TRANSPORTS,
}

/** Reads stored choices; anything unknown or wrong becomes its default. */
export function readChoices(text: string | null): TalkChoices {
  try {
    const kept: unknown = JSON.parse(text ?? '{}')
    const fields = Object.entries(Object(kept)).filter(
      ([name, value]) =>
        Object.hasOwn(FIRST, name) &&
        typeof value === typeof FIRST[name as keyof TalkChoices] &&
        LISTS[name]?.includes(value) !== false,
    )
    return { ...FIRST, ...Object.fromEntries(fields) }
  } catch {
    return FIRST
  }
}

const choices = createObservable(readChoices(localStorage.getItem(STORED)))

/** The choices of this browser. */
export const talkChoices: Observable<TalkChoices> = choices

/** Changes choices and keeps them in this browser. */
export function chooseTalk(changed: Partial<TalkChoices>): void {
  choices.set({ ...choices.get(), ...changed })
  localStorage.setItem(STORED, JSON.stringify(choices.get()))
}

onSignOut(() => {
  choices.set(FIRST)
  localStorage.removeItem(STORED)
})
