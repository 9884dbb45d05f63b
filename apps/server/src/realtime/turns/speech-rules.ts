import type { TurnDetection } from '../ports.ts'
import { acceptSpeech, beginSpeech, type Decisions, decide, type Stretch, type TurnState } from './decide.ts'

/** Speech in a stretch of sound; milliseconds of the heard sound. */
export interface FoundSpeech extends Stretch {
  /** Whether it goes on behind the stretch. */
  readonly isOpen: boolean
}

/** What an examination has found. */
export interface Examined {
  /** The end of the examined sound. */
  readonly toMs: number
  /** In order. Stretches that were given before are given again while they are near. */
  readonly speech: readonly FoundSpeech[]
  /** A sound has just begun that may turn out to be speech: no turn ends now. */
  readonly mayBegin: boolean
}

/** Turns what is found in the sound into decisions. It runs no calls and has no clock. */
export interface SpeechRules {
  set(settings: TurnDetection | null): void
  examined(found: Examined): void
  /** Takes a text that was asked for; undefined where it has failed. */
  textCame(stretch: Stretch, text: string | undefined): void
  setVoice(isSpeaking: boolean, atMs: number): void
  /** Forgets the speech before a time. */
  forget(atMs: number): void
  readonly phase: 'off' | 'quiet' | 'doubt' | 'speech' | 'pause'
  readonly settings: TurnDetection | null
  readonly isAsking: boolean
}

export function createSpeechRules(decisions: Decisions): SpeechRules {
  const state: TurnState = {
    settings: null,
    nowMs: 0,
    isVoiced: false,
    isAsking: false,
    isInterrupted: false,
    speech: undefined,
    doneMs: 0,
    mayBegin: false,
    idleSinceMs: undefined,
  }

  function forget(atMs: number): void {
    const wasHeld = state.speech?.isDoubted === true
    state.speech = undefined
    state.doneMs = Math.max(state.doneMs, atMs)
    if (wasHeld) decisions.listener.resume()
  }

  /** Ends a doubt without an interruption: what is said is a turn. */
  function stopDoubting(): void {
    const { speech } = state
    if (!speech?.isDoubted) return
    decisions.listener.resume()
    acceptSpeech(state, decisions, speech)
  }

  return {
    set(settings) {
      state.settings = settings
      if (settings === null) forget(state.nowMs)
      else if (!settings.interruptResponse) stopDoubting()
    },
    examined({ toMs, speech, mayBegin }) {
      if (state.settings === null) return
      state.mayBegin = mayBegin
      for (const found of speech) takeSpeech(state, decisions, found)
      // the stretch in which it went on is not examined any more
      if (state.speech?.isOpen && !speech.at(-1)?.isOpen) state.speech = { ...state.speech, isOpen: false }
      moveTo(state, decisions, toMs)
    },
    textCame({ endMs }, text) {
      state.isAsking = false
      if (state.speech === undefined || state.speech.startMs >= endMs) return
      state.speech = { ...state.speech, said: { untilMs: endMs, text } }
      decide(state, decisions)
    },
    setVoice(isSpeaking, atMs) {
      if (state.isVoiced === isSpeaking) return
      state.isVoiced = isSpeaking
      state.isInterrupted = false
      state.idleSinceMs = isSpeaking || state.speech !== undefined ? undefined : atMs
      if (!isSpeaking) stopDoubting()
    },
    forget,
    get phase() {
      return findPhase(state)
    },
    get settings() {
      return state.settings
    },
    get isAsking() {
      return state.isAsking
    },
  }
}

function findPhase({ settings, speech }: TurnState): SpeechRules['phase'] {
  if (settings === null) return 'off'
  if (speech === undefined) return 'quiet'
  if (speech.isDoubted) return 'doubt'
  return speech.isOpen ? 'speech' : 'pause'
}

function moveTo(state: TurnState, decisions: Decisions, timeMs: number): void {
  state.nowMs = timeMs
  decide(state, decisions)
}

function takeSpeech(state: TurnState, decisions: Decisions, { startMs, endMs, isOpen }: FoundSpeech): void {
  if (endMs <= state.doneMs) return
  // the silence before it may have ended a turn
  if (state.speech !== undefined && startMs > state.speech.endMs) moveTo(state, decisions, startMs)
  if (state.speech === undefined) beginSpeech(state, decisions, Math.max(startMs, state.doneMs))
  const { speech: known } = state
  // the end of speech that goes on is where the examined sound ended: it may have been earlier
  if (known !== undefined && (known.isOpen || endMs >= known.endMs)) {
    state.speech = { ...known, endMs: Math.max(endMs, known.startMs), isOpen }
  }
  moveTo(state, decisions, endMs)
}
