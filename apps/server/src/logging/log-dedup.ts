/** Target of lines. */
interface LogDestination {
  write(line: string): unknown
}

/** Time without another line after which the number of folded lines is written. */
const QUIET_MS = 10_000

/** Folds lines that differ only in their time into one, and a line with their number. */
export function foldEqualLines(destination: LogDestination, { quietMs = QUIET_MS } = {}): LogDestination {
  let last: string | undefined
  let lastLine = ''
  let repeated = 0
  let timer: NodeJS.Timeout | undefined

  function writeCount(): void {
    clearTimeout(timer)
    if (repeated === 0) return
    const count = repeated
    repeated = 0
    destination.write(describeRepeats(lastLine, count))
  }

  return {
    write(line) {
      const content = withoutTime(line)
      if (content === last) {
        repeated += 1
        lastLine = line
        clearTimeout(timer)
        timer = setTimeout(writeCount, quietMs)
        timer.unref()
        return
      }
      writeCount()
      last = content
      lastLine = line
      destination.write(line)
    },
  }
}

const withoutTime = (line: string): string => line.replace(/"time":\d+/, '')

/** Writes a line of the same level and time with the number of repeats of the line before. */
function describeRepeats(line: string, count: number): string {
  const { level, time } = JSON.parse(line) as { readonly level?: unknown; readonly time?: unknown }
  return `${JSON.stringify({ level, time, repeated: count, msg: 'the line before came again' })}\n`
}
