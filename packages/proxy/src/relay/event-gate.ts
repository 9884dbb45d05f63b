/** Most held bytes of one incomplete event; a longer one passes as it comes (threats REL-3). */
export const MAX_HELD_BYTES = 1024 * 1024

/**
 * Passes whole events only, so that a cut stream never ends in half of one. Text is one character a byte. An event that
 * arrives whole, as nearly all do, passes without being copied.
 */
export class EventGate {
  #held: string[] = []
  #heldBytes = 0
  /** The last held bytes: an empty line may arrive in pieces. */
  #tail = ''
  #isInside = false

  /** Whether the last passed byte is inside an event. */
  get isInside(): boolean {
    return this.#isInside
  }

  /** Takes a piece and returns the text that may pass, which may be empty. */
  push(piece: string): string {
    if (this.#heldBytes === 0 && endsWithEvent(piece)) {
      this.#isInside = false
      return piece
    }
    const end = findLastEventEnd(this.#tail + piece) - this.#tail.length
    if (end <= 0) return this.#hold(piece)
    const passing = this.#takeHeld() + piece.slice(0, end)
    this.#isInside = false
    if (end < piece.length) this.#hold(piece.slice(end))
    return passing
  }

  /** Returns the held start of an event after the stream has ended, and forgets it. */
  takeRest(): string {
    return this.#takeHeld()
  }

  #hold(piece: string): string {
    this.#held.push(piece)
    this.#heldBytes += piece.length
    this.#tail = (this.#tail + piece.slice(-EVENT_END_BYTES)).slice(-EVENT_END_BYTES)
    if (this.#held.length >= MAX_HELD_PIECES) this.#held = [this.#held.join('')]
    if (this.#heldBytes <= MAX_HELD_BYTES) return ''
    // The last bytes stay: the event may end with the next bytes.
    const text = this.#takeHeld()
    this.#isInside = true
    this.#hold(text.slice(-EVENT_END_BYTES))
    return text.slice(0, -EVENT_END_BYTES)
  }

  #takeHeld(): string {
    const text = this.#held.join('')
    this.#held = []
    this.#heldBytes = 0
    this.#tail = ''
    return text
  }
}

/** The longest end of an event, without its last byte. */
const EVENT_END_BYTES = 3
const MAX_HELD_PIECES = 1024
const LF = 0x0a
const CR = 0x0d

/** Whether a text ends in an empty line with LF or CRLF, as in nearly all streams. */
function endsWithEvent(text: string): boolean {
  const { length } = text
  if (text.charCodeAt(length - 1) !== LF) return false
  const before = text.charCodeAt(length - 2)
  return before === LF || (before === CR && text.charCodeAt(length - 3) === LF)
}

/** The offset after the last empty line, for every kind of line end; 0 without one. */
function findLastEventEnd(text: string): number {
  const lf = text.lastIndexOf('\n\n')
  const crlf = text.lastIndexOf('\n\r\n')
  const cr = text.lastIndexOf('\r\r')
  return Math.max(lf < 0 ? 0 : lf + 2, crlf < 0 ? 0 : crlf + 3, cr < 0 ? 0 : cr + 2)
}
