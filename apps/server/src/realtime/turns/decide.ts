import type { TurnDetection, TurnListener } from '../ports.ts'
import { judgeInterruption } from './judge-interruption.ts'
import { findNeededSilence, needsText } from './needed-silence.ts'

/** A stretch whose text is wanted; milliseconds of the heard sound. */
export interface Stretch {
  readonly startMs: number
  readonly endMs: number
}

/** Speech that is neither a turn nor dropped yet. */
export interface Speech extends Stretch {
  /** It is over the voice of the model, which is held, and may mean nothing. */
  readonly isDoubted: boolean
  /** Whether it goes on behind its end. */
  readonly isOpen: boolean
  /** What was said before a time; the text is absent where nobody could write it down. */
  readonly said?: { readonly untilMs: number; readonly text: string | undefined }
}

/** What is known and decided so far. */
export interface TurnState {
  settings: TurnDetection | null
  /** The end of the examined sound. */
  nowMs: number
  /** Whether the voice of the model can be heard. */
  isVoiced: boolean
  /** Whether the present voice has been interrupted. */
  isInterrupted: boolean
  isAsking: boolean
  speech: Speech | undefined
  /** Speech before this time has been dealt with. */
  doneMs: number
  /** Whether a sound has just begun that may turn out to be speech. */
  mayBegin: boolean
  /** Since when nobody has spoken after a response. */
  idleSinceMs: number | undefined
}

/** Where decisions go. */
export interface Decisions {
  readonly listener: TurnListener
  /** Asks for the text of a stretch; one is asked for at a time. */
  readonly ask: (stretch: Stretch) => void
}

/** A turn is cut here. */
const MAX_TURN_MS = 90_000
/** Semantic turn taking includes so much before the speech. */
const SEMANTIC_PADDING_MS = 300
/** Words over the voice of the model are asked for from here, and again after as much. */
const ASK_AFTER_MS = 400
/** The voice is not held for longer because of a text that may come. */
const TEXT_WAIT_MS = 1500
/** A text that ends so shortly before the speech is of all of it. */
const TEXT_SLACK_MS = 250

export function beginSpeech(state: TurnState, { listener }: Decisions, startMs: number): void {
  state.idleSinceMs = undefined
  const isDoubted = state.isVoiced && state.settings?.interruptResponse === true
  state.speech = { isDoubted, startMs, endMs: startMs, isOpen: true }
  if (isDoubted) listener.hold()
  else listener.speechStarted({ startMs: pad(state, startMs) })
}

/** Makes a turn of speech that was in doubt. */
export function acceptSpeech(state: TurnState, { listener }: Decisions, doubted: Speech): void {
  state.speech = { ...doubted, isDoubted: false }
  listener.speechStarted({ startMs: pad(state, doubted.startMs) })
}

/** Decides what the state allows to decide. */
export function decide(state: TurnState, decisions: Decisions): void {
  if (state.speech?.isDoubted) decideDoubt(state, decisions, state.speech)
  const { speech } = state
  // a doubt may just have become a turn
  if (speech === undefined) decideIdle(state, decisions)
  else if (!speech.isDoubted) decideTurn(state, decisions, speech)
}

function decideDoubt(state: TurnState, decisions: Decisions, doubted: Speech): void {
  const { startMs, endMs, isOpen, said } = doubted
  const knownMs = said?.untilMs ?? startMs
  const isWhole = said !== undefined && knownMs + TEXT_SLACK_MS >= endMs
  if (isOpen ? endMs - knownMs >= ASK_AFTER_MS : !isWhole) want(state, decisions, doubted)
  const mayCome = state.isAsking && state.nowMs - endMs < TEXT_WAIT_MS
  const verdict = judgeInterruption({ spokenMs: endMs - startMs, isOpen, text: said?.text, isWhole, mayCome })
  if (verdict === 'interrupt') {
    interrupt(state, decisions)
    acceptSpeech(state, decisions, doubted)
  } else if (verdict === 'resume') {
    state.speech = undefined
    state.doneMs = endMs
    decisions.listener.resume()
  }
}

function decideTurn(state: TurnState, decisions: Decisions, turn: Speech): void {
  const { startMs, endMs, isOpen, said } = turn
  const { settings, nowMs } = state
  if (nowMs - startMs >= MAX_TURN_MS) {
    finishTurn(state, decisions, { startMs, endMs: startMs + MAX_TURN_MS })
    return
  }
  // the voice has begun while somebody spoke: there is nothing to doubt
  if (isOpen && state.isVoiced && !state.isInterrupted && settings?.interruptResponse) interrupt(state, decisions)
  if (isOpen || settings === null) return
  const isKnown = said !== undefined && said.untilMs + TEXT_SLACK_MS >= endMs
  if (!isKnown && needsText(settings)) want(state, decisions, turn)
  const neededMs = findNeededSilence(settings, isKnown ? (said.text ?? '') : undefined)
  if (nowMs - endMs < neededMs || state.mayBegin) return
  finishTurn(state, decisions, { startMs, endMs: endMs + neededMs })
}

function interrupt(state: TurnState, { listener }: Decisions): void {
  state.isInterrupted = true
  listener.interrupt()
}

function finishTurn(state: TurnState, { listener }: Decisions, { startMs, endMs }: Stretch): void {
  const turn = { startMs: pad(state, startMs), endMs }
  state.speech = undefined
  state.doneMs = endMs
  listener.speechStopped(turn)
}

function decideIdle(state: TurnState, { listener }: Decisions): void {
  const { settings, idleSinceMs, nowMs } = state
  const idleMs = settings?.type === 'server_vad' ? settings.idleTimeoutMs : undefined
  if (idleMs === undefined || idleSinceMs === undefined || nowMs - idleSinceMs < idleMs) return
  state.idleSinceMs = undefined
  listener.timedOut({ startMs: idleSinceMs, endMs: idleSinceMs + idleMs })
}

function want(state: TurnState, { ask }: Decisions, { startMs, endMs }: Speech): void {
  if (state.isAsking) return
  state.isAsking = true
  ask({ startMs: pad(state, startMs), endMs })
}

/** Speech begins softly: what is before it belongs to it, but not what belongs to another turn. */
function pad({ settings, doneMs }: TurnState, startMs: number): number {
  const padding = settings?.type === 'server_vad' ? settings.prefixPaddingMs : SEMANTIC_PADDING_MS
  return Math.max(doneMs, startMs - padding, 0)
}
