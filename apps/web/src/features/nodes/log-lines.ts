import { isLine, type SentLine } from '../../lib/backend-log/log-lines.ts'

/** Reads the lines that a worker answers with: a list, or an object with `lines`. */
export function readLogLines(reply: unknown): readonly SentLine[] {
  if (Array.isArray(reply)) return reply.filter(isLine)
  if (typeof reply === 'object' && reply !== null && 'lines' in reply) return readLogLines(reply.lines)
  return []
}
