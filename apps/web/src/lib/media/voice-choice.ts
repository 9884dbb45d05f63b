import { createObservable, type Observable } from '../chat/observable.ts'
import { onSignOut } from '../viewer-data.ts'

/** What the viewer has chosen for the microphone and for reading aloud. Empty: the first model, the model's own voice. */
export interface VoiceChoice {
  readonly hearing: string
  readonly speaking: string
  readonly voice: string
}

const STORED = 'svc-voice-choice'
const NONE: VoiceChoice = { hearing: '', speaking: '', voice: '' }

function read(): VoiceChoice {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORED) ?? '{}')
    const fields = Object.entries(Object(kept)).filter(([name, value]) => name in NONE && typeof value === 'string')
    return { ...NONE, ...Object.fromEntries(fields) }
  } catch {
    return NONE
  }
}

const choice = createObservable(read())

/** The choice of this browser. */
export const voiceChoice: Observable<VoiceChoice> = choice

/** Changes the choice and keeps it in this browser. */
export function chooseVoice(changed: Partial<VoiceChoice>): void {
  choice.set({ ...choice.get(), ...changed })
  localStorage.setItem(STORED, JSON.stringify(choice.get()))
}

onSignOut(() => {
  choice.set(NONE)
  localStorage.removeItem(STORED)
})

/** The chosen model, if it is still there, else the first one. */
export function pickModel(models: readonly string[], chosen: string): string | undefined {
  return models.find((model) => model === chosen) ?? models[0]
}
