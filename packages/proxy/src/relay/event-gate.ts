/** Bytes of one event that are held until it is whole; a longer one passes as it comes (threats REL-3). */
export const MAX_HELD_BYTES = 1024 * 1024

/**
 * Lets only whole events pass, so that a stream that is cut never ends in half of one. Text is one character a byte. An
 * event that comes whole, as nearly all do, passes without being copied.
 */
export class EventGate {
  #held: string[] = []
  #heldBytes = 0
  /** The last bytes held: an empty line may come in pieces. */
  #tail = ''
  #isInside = false

  /** Whether the last byte that passed stands inside an event. */
  get isInside(): boolean {
    return this.#isInside
  }

  /** Takes a piece and gives what may pass; empty where nothing may yet. */
  push(piece: string): string {
    if (this.#heldBytes === 0 && endsWithEvent(piece)) {
      this.#isInside = false
      return piece
    }
    const end = lastEventEnd(this.#tail + piece) - this.#tail.length
    if (end <= 0) return this.#hold(piece)
    const passing = this.#takeHeld() + piece.slice(0, end)
    this.#isInside = false
    if (end < piece.length) this.#hold(piece.slice(end))
    return passing
  }

  /** The start of an event that was held when the stream ended; it is held no more. */
  takeRest(): string {
    return this.#takeHeld()
  }

  #hold(piece: string): string {
    this.#held.push(piece)
    this.#heldBytes += piece.length
    this.#tail = (this.#tail + piece.slice(-EVENT_END_BYTES)).slice(-EVENT_END_BYTES)
    if (this.#held.length >= MAX_HELD_PIECES) this.#held = [this.#held.join('')]
    if (this.#heldBytes <= MAX_HELD_BYTES) return ''
    // The last bytes stay: the event may end with the next ones.
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

/** The longest end of an event, but for its last byte. */
const EVENT_END_BYTES = 3
const MAX_HELD_PIECES = 1024
const LF = 0x0a
const CR = 0x0d

/** Whether a text ends in an empty line with LF or CRLF, as nearly all streams have. */
function endsWithEvent(text: string): boolean {
  const { length } = text
  if (text.charCodeAt(length - 1) !== LF) return false
  const before = text.charCodeAt(length - 2)
  return before === LF || (before === CR && text.charCodeAt(length - 3) === LF)
}

/** The offset after the last empty line, whichever line ends it has; 0 where there is none. */
function lastEventEnd(text: string): number {
  const lf = text.lastIndexOf('\n\n')
  const crlf = text.lastIndexOf('\n\r\n')
  const cr = text.lastIndexOf('\r\r')
  return Math.max(lf < 0 ? 0 : lf + 2, crlf < 0 ? 0 : crlf + 3, cr < 0 ? 0 : cr + 2)
}
