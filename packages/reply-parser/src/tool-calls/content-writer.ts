import { isGap } from './text-cursor.ts'

/** Says the text around calls: without what only separated them. */
export interface ContentWriter {
  /** Takes the next text. White space at its end waits for what follows. */
  write(text: string): void
  /** A call stands here. */
  skipCall(): void
  /** Nothing follows. */
  finish(): void
}

/**
 * Makes the writer of one reply. Text in which no call stands is said exactly as it came. Between two texts that a call
 * parted stays the white space of one side; at the ends of the reply, none beside a call; and a lone comma or semicolon
 * between calls is dropped.
 */
export function createContentWriter(say: (text: string) => void): ContentWriter {
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
      say(gap + whole.slice(start, end))
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
      if (!isAfterCall && waiting !== '') say(waiting)
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
