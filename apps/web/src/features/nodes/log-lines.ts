/** A line of a backend's output. */
export interface WorkerLogLine {
  readonly timestamp: string
  readonly stream: 'stdout' | 'stderr'
  readonly text: string
}

/** Reads the lines that a worker answers with: a list, or an object with `lines`. */
export function readLogLines(reply: unknown): readonly WorkerLogLine[] {
  if (Array.isArray(reply)) return reply.filter(isLine)
  if (typeof reply === 'object' && reply !== null && 'lines' in reply) return readLogLines(reply.lines)
  return []
}

function isLine(value: unknown): value is WorkerLogLine {
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
