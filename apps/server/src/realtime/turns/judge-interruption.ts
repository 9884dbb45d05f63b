import { isAssent } from './words/assent.ts'

/** Speech over the voice of the model, so far. */
export interface Interruption {
  readonly spokenMs: number
  /** Whether it goes on. */
  readonly isOpen: boolean
  /** What was said; undefined while nobody knows. */
  readonly text: string | undefined
  /** Whether the text is of all that was said, and not of its beginning. */
  readonly isWhole: boolean
  /** Whether a text of all may still come. */
  readonly mayCome: boolean
}

/** Speech for so long interrupts, unless it is known to be assent. */
const LONG_MS = 1000
/** Speech for so long interrupts, whatever was said. */
const MEANT_MS = 2500
/** Speech of which there is no text at all is meant from this length. */
const UNKNOWN_MS = 700

/** Decides whether the voice of the model is to be stopped. */
export function judgeInterruption({
  spokenMs,
  isOpen,
  text,
  isWhole,
  mayCome,
}: Interruption): 'interrupt' | 'resume' | 'wait' {
  if (spokenMs >= MEANT_MS) return 'interrupt'
  const said = text?.trim() ?? ''
  const isAgreed = said !== '' && isAssent(said)
  if (said !== '' && !isAgreed) return 'interrupt'
  if (isOpen) return spokenMs >= LONG_MS && !isAgreed ? 'interrupt' : 'wait'
  if (isWhole && isAgreed) return 'resume'
  if (mayCome) return 'wait'
  return spokenMs >= UNKNOWN_MS && !isAgreed ? 'interrupt' : 'resume'
}
