import { DEFAULT_MAX_DEPTH } from '@svc/json'
import { MAX_MARKS } from './limits.ts'

/** Watches the JSON of the messages of a server, before anything reads it. */
export interface MessageShape {
  /** Reads the next bytes. @returns false once a message is nested too deeply, or has too many values */
  admit(chunk: Uint8Array): boolean
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const QUOTE = 0x22
const BACKSLASH = 0x5c
const BYTE_ORDER_MARK: ReadonlySet<number> = new Set([0xef, 0xbb, 0xbf])
const DATA = [...Buffer.from('data:')]

/** Watches one message of JSON. */
export function createMessageShape(): MessageShape {
  const values = createValues()
  return { admit: (chunk) => chunk.every(values.read) }
}

/** Watches server-sent events: the lines `data:` of each event are a message. */
export function createEventShape(): MessageShape {
  const values = createValues()
  /** Place in the line. */
  let place = 0
  let isData = true
  let isAfterReturn = false
  let isFirst = true

  function endLine(): void {
    if (place === 0) values.reset()
    values.endLine()
    place = 0
    isData = true
  }
  function read(byte: number): boolean {
    const isSecondHalf = isAfterReturn && byte === LINE_FEED
    isAfterReturn = byte === CARRIAGE_RETURN
    if (isSecondHalf) return true
    if (byte === LINE_FEED || byte === CARRIAGE_RETURN) {
      endLine()
      return true
    }
    if (isFirst && BYTE_ORDER_MARK.has(byte)) return true
    isFirst = false
    place += 1
    if (place <= DATA.length) {
      isData &&= byte === DATA[place - 1]
      return true
    }
    return !isData || values.read(byte)
  }
  return { admit: (chunk) => chunk.every(read) }
}

/** Whether a whole message may be read. */
export function isReadable(message: Uint8Array): boolean {
  return createMessageShape().admit(message)
}

/** Counts the values of a message, and how deep they are. Bytes that are no JSON are refused by its reader. */
function createValues() {
  let depth = 0
  let marks = 0
  let isText = false
  let isEscaped = false
  return {
    read(byte: number): boolean {
      if (isText) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isText = false
        return true
      }
      switch (byte) {
        case QUOTE:
          isText = true
          return true
        case 0x7b: // {
        case 0x5b: // [
          depth += 1
          marks += 1
          return depth <= DEFAULT_MAX_DEPTH && marks <= MAX_MARKS
        case 0x7d: // }
        case 0x5d: // ]
          depth -= 1
          return true
        case 0x2c: // ,
        case 0x3a: // :
          marks += 1
          return marks <= MAX_MARKS
        default:
          return true
      }
    },
    /** No text of JSON goes on in the next line. */
    endLine(): void {
      isText = false
      isEscaped = false
    },
    reset(): void {
      depth = 0
      marks = 0
    },
  }
}
