const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** Watches the bytes of a stream of server-sent events. */
export interface EventGuard {
  /** Whether an event had an id, so that the stream can be resumed. */
  readonly hasIds: boolean
  /** Counts a chunk. @returns false once an event has more bytes than allowed */
  admit(chunk: Uint8Array): boolean
}

/** Creates the guard: no event may have more than `maxBytes`, line ends included. */
export function createEventGuard(maxBytes: number): EventGuard {
  let eventBytes = 0
  let lineBytes = 0
  let head = ''
  let hasIds = false

  const endLine = (): void => {
    if (lineBytes === 0) eventBytes = 0
    if (/^id:? ?./.test(head)) hasIds = true
    lineBytes = 0
    head = ''
  }
  const addToLine = (piece: Uint8Array): void => {
    if (head.length < 5) head += Buffer.from(piece.subarray(0, 5 - head.length)).toString('latin1')
    const isBareReturn = piece.length === 1 && piece[0] === CARRIAGE_RETURN
    if (!(lineBytes === 0 && isBareReturn)) lineBytes += piece.length
  }
  return {
    get hasIds() {
      return hasIds
    },
    admit(chunk) {
      let start = 0
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, start)) {
        addToLine(chunk.subarray(start, at))
        eventBytes += at + 1 - start
        if (eventBytes > maxBytes) return false
        endLine()
        start = at + 1
      }
      addToLine(chunk.subarray(start))
      eventBytes += chunk.length - start
      return eventBytes <= maxBytes
    },
  }
}
