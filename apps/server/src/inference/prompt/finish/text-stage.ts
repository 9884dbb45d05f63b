import { SvcError } from '@svc/errors'
import { endWithoutBlanks, skipBlanks } from '@svc/reply-parser'

/** Changes a text while it arrives. The joined results of all calls do not depend on how the text is cut. */
export interface TextStage {
  /** Takes a piece and returns the text that is settled. */
  push(piece: string): string
  /** Returns the text that was held back. Call it once, last. */
  end(): string
}

/** Maximum number of UTF-16 units that a stage holds back. */
export const MAX_HELD_LENGTH = 4 * 1024 * 1024

/** @throws {SvcError} `internal`, code `reply_too_long`, above {@link MAX_HELD_LENGTH} */
function checkHeld(length: number): void {
  if (length <= MAX_HELD_LENGTH) return
  throw new SvcError('internal', 'the reply is too long for the text rules of its model', { code: 'reply_too_long' })
}

/** Returns every piece unchanged. */
export const passThrough: TextStage = Object.freeze({ push: (piece: string) => piece, end: () => '' })

/** Runs stages one after the other. */
export function chainStages(stages: readonly TextStage[]): TextStage {
  const [only] = stages
  if (only === undefined) return passThrough
  if (stages.length === 1) return only
  const through = (piece: string, from: number): string => {
    let text = piece
    for (const stage of stages.slice(from)) {
      if (text === '') return ''
      text = stage.push(text)
    }
    return text
  }
  return {
    push: (piece) => through(piece, 0),
    end: () => stages.map((stage, index) => through(stage.end(), index + 1)).join(''),
  }
}

/** Puts a text before the first piece, or before the end when the text is empty. */
export function putBefore(lead: string): TextStage {
  if (lead === '') return passThrough
  let pending = lead
  const take = (): string => {
    const taken = pending
    pending = ''
    return taken
  }
  return { push: (piece) => take() + piece, end: take }
}

/** Removes a prefix once. Holds back text that may become the prefix. */
export function removePrefix(prefix: string): TextStage {
  if (prefix === '') return passThrough
  let held: string | undefined = ''
  return {
    push(piece) {
      if (held === undefined) return piece
      held += piece
      if (held.length < prefix.length && prefix.startsWith(held)) return ''
      const text = held
      held = undefined
      return text.startsWith(prefix) ? text.slice(prefix.length) : text
    },
    end: () => held ?? '',
  }
}

/** Removes a suffix once. Holds back text that may be the suffix. */
export function removeSuffix(suffix: string): TextStage {
  if (suffix === '') return passThrough
  let held = ''
  return {
    push(piece) {
      const text = held + piece
      const from = findSuffixStart(text, suffix)
      held = text.slice(from)
      return text.slice(0, from)
    },
    end: () => (held === suffix ? '' : held),
  }
}

/** Finds the longest end of a text that is a beginning of the suffix, or the suffix. */
function findSuffixStart(text: string, suffix: string): number {
  const first = suffix.charAt(0)
  let at = text.indexOf(first, Math.max(0, text.length - suffix.length))
  while (at !== -1) {
    if (suffix.startsWith(text.slice(at))) return at
    at = text.indexOf(first, at + 1)
  }
  return text.length
}

/** Trims white space at both ends. Holds back white space until other text follows. */
export function trimBlanks(): TextStage {
  let hasBegun = false
  let blanks = ''
  return {
    push(piece) {
      const text = hasBegun ? piece : piece.slice(skipBlanks(piece))
      const end = endWithoutBlanks(text)
      if (end === 0) {
        blanks += hasBegun ? text : ''
        checkHeld(blanks.length)
        return ''
      }
      hasBegun = true
      const settled = blanks + text.slice(0, end)
      blanks = text.slice(end)
      return settled
    },
    end: () => '',
  }
}

/** Holds back all text and changes it at the end. */
export function changeWhole(change: (text: string) => string): TextStage {
  const parts: string[] = []
  let length = 0
  return {
    push(piece) {
      length += piece.length
      checkHeld(length)
      parts.push(piece)
      return ''
    },
    end: () => change(parts.join('')),
  }
}
