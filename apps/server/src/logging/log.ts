import { SvcError } from '@svc/errors'
import { type Logger as PinoLogger, pino } from 'pino'
import { foldEqualLines } from './log-dedup.ts'
import { escapeLine, escapeLines } from './terminal-text.ts'

export type RootLogger = PinoLogger

/** Maximum length of one field in characters (threats LOG-1). */
const MAX_FIELD_LENGTH = 2048
const MAX_CAUSES = 4

/** Fields that may hold a secret; their values never reach a line. */
const REDACTED = [
  'authorization',
  'cookie',
  'token',
  'password',
  'secret',
  '*.authorization',
  '*.cookie',
  '*.key',
  '*.token',
  '*.password',
  '*.secret',
  'headers["x-api-key"]',
  'headers["xi-api-key"]',
]

function cut(value: unknown): unknown {
  return typeof value === 'string' && value.length > MAX_FIELD_LENGTH ? `${value.slice(0, MAX_FIELD_LENGTH)}…` : value
}

/** An error in a line of the log. */
interface ErrorFields {
  readonly type: string
  readonly message: string
  readonly code?: string
  readonly stack?: string
  readonly cause?: unknown
}

/** Converts an error for the log: name, code, message, optional stacks, and its causes. */
function toErrorFields(error: unknown, { stacks, depth = 0 }: { stacks: boolean; depth?: number }): unknown {
  if (!(error instanceof Error) || depth > MAX_CAUSES) return cut(String(error))
  const { code } = error as { code?: unknown }
  return {
    type: error.name,
    message: cut(error.message),
    ...(typeof code === 'string' ? { code } : {}),
    ...(stacks ? { stack: cut(error.stack ?? '') } : {}),
    ...(error.cause === undefined ? {} : { cause: toErrorFields(error.cause, { stacks, depth: depth + 1 }) }),
  }
}

/** Whether an error is expected: its message is sufficient. */
function isExpected(error: unknown): boolean {
  // Unexpected errors are wrapped under the code of their kind.
  if (SvcError.is(error)) return error.code !== 'internal' || error.cause === undefined
  return error instanceof Error && typeof (error as { syscall?: unknown }).syscall === 'string'
}

const isErrorFields = (value: unknown): value is ErrorFields =>
  typeof value === 'object' && value !== null && typeof (value as ErrorFields).message === 'string'

/** Joins the messages of an error and its causes, without repetition. */
function joinMessages(error: unknown): string {
  const said: string[] = []
  for (let each: unknown = error; each !== undefined; each = isErrorFields(each) ? each.cause : undefined) {
    const message = isErrorFields(each) ? each.message : String(each)
    if (!said.some((before) => before.includes(message))) said.push(message)
  }
  return said.join(': ')
}

/** Formats the stack of the innermost error, one line for each frame. No line looks like a log entry. */
function formatStack(error: unknown): string {
  let stack = ''
  for (let each: unknown = error; isErrorFields(each); each = each.cause) stack = each.stack ?? stack
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  return frames.map((line) => `\n    ${escapeLine(line.trim())}`).join('')
}

/** Formats one readable line for each event at a terminal, with an optional stack. */
function toText(line: string): string {
  try {
    const {
      level,
      time,
      msg,
      err,
      pid: _pid,
      hostname: _hostname,
      ...fields
    } = JSON.parse(line) as Record<string, unknown>
    const rest = Object.entries(fields).map(
      ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    const clock = new Date(Number(time)).toISOString().slice(11, 23)
    const what = err === undefined ? String(msg) : `${String(msg)}: ${joinMessages(err)}`
    const entry = [`${clock} ${String(level).toUpperCase().padEnd(5)} ${what}`, rest.join(' ')].filter(Boolean)
    return `${escapeLine(entry.join('  '))}${formatStack(err)}\n`
  } catch {
    return line
  }
}

/** Target of the lines. */
export interface LogDestination {
  write(line: string): unknown
}

/** Whether lines are text for people: requested, or the destination is a terminal and nothing else is requested. */
export function isTextLog(format: LogFormat, destination?: LogDestination | undefined): boolean {
  return format === 'text' || (format === 'default' && destination === undefined && process.stdout.isTTY)
}

export type LogFormat = 'default' | 'text' | 'json'

/**
 * Creates the root logger. Every line is one JSON object, or one line of text for people. An expected error has its
 * stack at level debug; an unexpected one always has it.
 *
 * @param options.format `default` is text at a terminal, JSON elsewhere
 */
export function createLogger(options: {
  level: string
  format: LogFormat
  /** Whether equal lines that follow one another are folded; `auto`: at a terminal. @default 'false' */
  dedup?: 'auto' | 'true' | 'false' | undefined
  destination?: LogDestination | undefined
}): RootLogger {
  const out = options.destination ?? process.stdout
  const text = isTextLog(options.format, options.destination)
  const { dedup = 'false' } = options
  const folds = dedup === 'true' || (dedup === 'auto' && options.destination === undefined && process.stdout.isTTY)
  const lines: LogDestination = { write: (line) => void out.write(text ? toText(line) : escapeLines(line)) }
  const logger: RootLogger = pino(
    {
      level: options.level,
      base: null,
      redact: { paths: REDACTED, censor: '[redacted]' },
      serializers: {
        err: (error: unknown) => toErrorFields(error, { stacks: logger.isLevelEnabled('debug') || !isExpected(error) }),
      },
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cut(value)])),
      },
    },
    folds ? foldEqualLines(lines) : lines,
  )
  return logger
}
