import { isGap } from './text-cursor.ts'

/** Writes the text around calls, without the separators between them. */
export interface ContentWriter {
  /** Takes the next text. White space at its end waits for the next text. */
  write(text: string): void
  /** Marks the place of a call. */
  skipCall(): void
  /** Ends the reply. */
  finish(): void
}

/**
 * Creates the writer of one reply. Text without calls is written exactly as it came. Between two texts around a call
 * the white space of one side stays. At the ends of the reply, white space beside a call is dropped. A lone comma or
 * semicolon between calls is dropped.
 */
export function createContentWriter(emit: (text: string) => void): ContentWriter {
  let waiting = ''
  let beforeCall = ''
  let isAfterCall = false
  let saidAny = false

  return {
    write(text) {
      if (gapLength(text) === text.length) {
        waiting += text
        return
      }
      const whole = waiting + text
      const start = gapLength(whole)
      const end = endWithoutGap(whole)
      if (isAfterCall && end === start + 1 && isSeparator(whole.charCodeAt(start))) {
        waiting = whole
        return
      }
      const gap = isAfterCall ? parting(whole.slice(0, start)) : whole.slice(0, start)
      emit(gap + whole.slice(start, end))
      waiting = whole.slice(end)
      beforeCall = ''
      isAfterCall = false
      saidAny = true
    },
    skipCall() {
      if (!isAfterCall) beforeCall = waiting
      waiting = ''
      isAfterCall = true
    },
    finish() {
      if (!isAfterCall && waiting !== '') emit(waiting)
      waiting = ''
    },
  }

  function parting(afterCall: string): string {
    return saidAny ? beforeCall || afterCall : ''
  }
}

function gapLength(text: string): number {
  let at = 0
  while (at < text.length && isGap(text.charCodeAt(at))) at++
  return at
}

function endWithoutGap(text: string): number {
  let end = text.length
  while (end > 0 && isGap(text.charCodeAt(end - 1))) end--
  return end
}

function isSeparator(unit: number): boolean {
  return unit === 0x2c || unit === 0x3b
}
