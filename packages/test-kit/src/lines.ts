import type { Readable } from 'node:stream'

/** The lines of a stream so far, and a way to wait for one. */
export interface LineCollector {
  /** Complete lines so far, without line breaks; an unfinished last line is added at the end. */
  readonly lines: readonly string[]
  /**
   * The first line, past or future, that matches. Rejects when the stream ends without one, with the last lines in
   * the message.
   */
  waitFor(match: string | RegExp | ((line: string) => boolean)): Promise<string>
  /** Resolves with all lines when the stream has ended. */
  readonly ended: Promise<readonly string[]>
}

/** Collects the lines of a child process's output or another stream of UTF-8 text. */
export function collectLines(stream: Readable): LineCollector {
  const lines: string[] = []
  const waiting = new Set<(line: string | undefined) => void>()
  const tell = (line: string | undefined) => {
    for (const listener of [...waiting]) listener(line)
  }
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    const parts = (rest + text).split(/\r?\n/)
    rest = parts.pop() ?? ''
    for (const line of parts) {
      lines.push(line)
      tell(line)
    }
  })
  let isOver = false
  const ended = new Promise<readonly string[]>((resolve) => {
    stream.once('close', () => {
      if (rest !== '') {
        lines.push(rest)
        tell(rest)
      }
      isOver = true
      tell(undefined)
      resolve(lines)
    })
  })

  return {
    lines,
    ended,
    waitFor(match) {
      const matches = toPredicate(match)
      const early = lines.find(matches)
      if (early !== undefined) return Promise.resolve(early)
      return new Promise((resolve, reject) => {
        const listener = (line: string | undefined) => {
          if (line !== undefined && !matches(line)) return
          waiting.delete(listener)
          if (line !== undefined) resolve(line)
          else reject(new Error(`no line matched ${String(match)}; last lines:\n${lines.slice(-20).join('\n')}`))
        }
        waiting.add(listener)
        if (isOver) listener(undefined)
      })
    },
  }
}

function toPredicate(match: string | RegExp | ((line: string) => boolean)): (line: string) => boolean {
  if (typeof match === 'string') return (line) => line.includes(match)
  return match instanceof RegExp ? (line) => match.test(line) : match
}
