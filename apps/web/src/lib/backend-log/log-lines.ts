/** A line of a backend's output, as the server sends it. */
export interface SentLine {
  readonly timestamp: string
  readonly stream: 'stdout' | 'stderr'
  readonly text: string
}

/** A line in the page. */
export interface LogLine extends SentLine {
  /** Grows from line to line; never used twice. */
  readonly number: number
  /** Number of lines that the server has left out here; the line then has no text. */
  readonly missed?: number
}

/** Lines that the page keeps. */
const MAX_LINES = 20_000
/** Factor by which the list may outgrow its limit before its oldest lines are dropped. */
const SPARE = 1.25

/** The output of a model as far as the page keeps it: the newest lines, at most {@link MAX_LINES}. */
export class LogBuffer {
  readonly #lines: LogLine[] = []
  #next = 0
  readonly #maxLines: number

  constructor(maxLines = MAX_LINES) {
    this.#maxLines = maxLines
  }

  /** The lines at this moment, the oldest first. */
  read(): readonly LogLine[] {
    return this.#lines.slice(-this.#maxLines)
  }

  /** Adds lines at the end; the oldest ones go. */
  append(lines: readonly (SentLine & { readonly missed?: number })[]): void {
    for (const line of lines) {
      this.#lines.push({ ...line, number: this.#next })
      this.#next += 1
    }
    // many lines go at once, so that a flood does not move the whole list for each of its lines
    if (this.#lines.length > this.#maxLines * SPARE) this.#lines.splice(0, this.#lines.length - this.#maxLines)
  }

  /** Merges all lines of the server; adds only the unknown ones. */
  merge(sent: readonly SentLine[]): void {
    this.append(sent.slice(findNew(this.#lines, sent)))
  }
}

/** Index of the first line after the known ones; 0 if no line is known. */
function findNew(known: readonly SentLine[], sent: readonly SentLine[]): number {
  const last = known.at(-1)
  if (last === undefined) return 0
  for (let end = sent.length; end > 0; end -= 1) {
    const line = sent[end - 1]
    // an older time cannot be followed by the last known line
    if (line === undefined || line.timestamp < last.timestamp) return end
    if (isSame(line, last) && endsAlike(known, sent, end)) return end
  }
  return 0
}

/** Lines that are compared: the same line may come several times within a millisecond. */
const COMPARED = 8

function endsAlike(known: readonly SentLine[], sent: readonly SentLine[], end: number): boolean {
  for (let back = 1; back <= Math.min(COMPARED, end, known.length); back += 1) {
    const one = known[known.length - back]
    const other = sent[end - back]
    if (one === undefined || other === undefined || !isSame(one, other)) return false
  }
  return true
}

const isSame = (one: SentLine, other: SentLine): boolean =>
  one.timestamp === other.timestamp && one.stream === other.stream && one.text === other.text

/** Conditions for a line to be shown. */
export interface LineFilter {
  readonly q?: string | undefined
  readonly stream?: 'stdout' | 'stderr' | undefined
}

/** The lines with a text in any case and of a stream. Places where lines are missing stay. */
export function filterLines(lines: readonly LogLine[], { q, stream }: LineFilter): readonly LogLine[] {
  const wanted = q?.toLowerCase()
  if (wanted === undefined && stream === undefined) return lines
  return lines.filter(
    (line) =>
      line.missed !== undefined ||
      ((stream === undefined || line.stream === stream) &&
        (wanted === undefined || line.text.toLowerCase().includes(wanted))),
  )
}

/** The place of the first line with this number or a later one. @param lines in the order of their numbers */
export function findLine(lines: readonly LogLine[], number: number): number {
  let low = 0
  let high = lines.length
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((lines[middle]?.number ?? Number.POSITIVE_INFINITY) < number) low = middle + 1
    else high = middle
  }
  return low
}

/** Reads a message of the socket; undefined for one that it does not know. */
export function readMessage(
  text: string,
):
  | { readonly type: 'initial'; readonly lines: readonly SentLine[] }
  | { readonly type: 'line'; readonly line: SentLine }
  | { readonly type: 'missed'; readonly count: number }
  | undefined {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof message !== 'object' || message === null || !('type' in message)) return undefined
  if (message.type === 'initial' && 'lines' in message && Array.isArray(message.lines))
    return { type: 'initial', lines: message.lines.filter(isLine) }
  if (message.type === 'line' && 'line' in message && isLine(message.line)) return { type: 'line', line: message.line }
  if (message.type === 'missed' && 'count' in message && typeof message.count === 'number')
    return { type: 'missed', count: message.count }
  return undefined
}

/** Whether a value is a line. */
export function isLine(value: unknown): value is SentLine {
  return (
    typeof value === 'object' &&
    value !== null &&
    'timestamp' in value &&
    typeof value.timestamp === 'string' &&
    'text' in value &&
    typeof value.text === 'string' &&
    'stream' in value &&
    (value.stream === 'stdout' || value.stream === 'stderr')
  )
}

/** The lines as a file has them. */
export function writeLines(lines: readonly LogLine[]): string {
  return lines
    .map(({ timestamp, stream, text, missed }) =>
      missed === undefined ? `${timestamp} ${stream} ${text}\n` : `${timestamp} (${missed} lines missing)\n`,
    )
    .join('')
}
