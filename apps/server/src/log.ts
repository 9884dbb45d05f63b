import { SvcError } from '@svc/errors'
import { type Logger as PinoLogger, pino } from 'pino'

export type RootLogger = PinoLogger

/** Longest text of one field, characters (threats LOG-1). */
const MAX_FIELD_LENGTH = 2048
const MAX_CAUSES = 4

/** Fields that could hold a secret; their values never reach a line. */
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

/** An error as a line of the log holds it. */
interface ErrorFields {
  readonly type: string
  readonly message: string
  readonly code?: string
  readonly stack?: string
  readonly cause?: unknown
}

/** An error as the log shows it: name, code, message and, where they are wanted, stacks, with its causes below. */
function errorFields(error: unknown, { stacks, depth = 0 }: { stacks: boolean; depth?: number }): unknown {
  if (!(error instanceof Error) || depth > MAX_CAUSES) return cut(String(error))
  const { code } = error as { code?: unknown }
  return {
    type: error.name,
    message: cut(error.message),
    ...(typeof code === 'string' ? { code } : {}),
    ...(stacks ? { stack: cut(error.stack ?? '') } : {}),
    ...(error.cause === undefined ? {} : { cause: errorFields(error.cause, { stacks, depth: depth + 1 }) }),
  }
}

/** Whether an error was foreseen: its message says what there is to know. */
function isExpected(error: unknown): boolean {
  // What nobody foresaw is wrapped under the code of its kind.
  if (SvcError.is(error)) return error.code !== 'internal' || error.cause === undefined
  return error instanceof Error && typeof (error as { syscall?: unknown }).syscall === 'string'
}

const isErrorFields = (value: unknown): value is ErrorFields =>
  typeof value === 'object' && value !== null && typeof (value as ErrorFields).message === 'string'

/** What a terminal may not be told: controls, line ends, and marks that turn the direction of a text round. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

const escapeText = (text: string): string =>
  text.replace(UNSAFE, (found) => `\\u${(found.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)

/** The messages of an error and of its causes, each that says something new. */
function joinMessages(error: unknown): string {
  const said: string[] = []
  for (let each: unknown = error; each !== undefined; each = isErrorFields(each) ? each.cause : undefined) {
    const message = isErrorFields(each) ? each.message : String(each)
    if (!said.some((before) => before.includes(message))) said.push(message)
  }
  return said.join(': ')
}

/** The stack of the innermost error, a line for each frame and none that looks like an entry. */
function formatStack(error: unknown): string {
  let stack = ''
  for (let each: unknown = error; isErrorFields(each); each = each.cause) stack = each.stack ?? stack
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  return frames.map((line) => `\n    ${escapeText(line.trim())}`).join('')
}

/** One readable line per event, for people at a terminal; the stack of an error follows where it is wanted. */
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
    return `${escapeText(entry.join('  '))}${formatStack(err)}\n`
  } catch {
    return line
  }
}

/** Where lines go. */
export interface LogDestination {
  write(line: string): unknown
}

/** Whether lines are text for people: asked for, or the destination is a terminal and nothing else was asked for. */
export function isTextLog(format: LogFormat, destination?: LogDestination | undefined): boolean {
  return format === 'text' || (format === 'default' && destination === undefined && process.stdout.isTTY)
}

export type LogFormat = 'default' | 'text' | 'json'

/**
 * The root logger. Every line is one JSON object, or one line of text where people read it. An error that was foreseen
 * has its stack in the log at level debug; another has it always.
 *
 * @param options.format `default` is text at a terminal, JSON elsewhere
 */
export function createLogger(options: {
  level: string
  format: LogFormat
  destination?: LogDestination | undefined
}): RootLogger {
  const out = options.destination ?? process.stdout
  const text = isTextLog(options.format, options.destination)
  const logger: RootLogger = pino(
    {
      level: options.level,
      base: null,
      redact: { paths: REDACTED, censor: '[redacted]' },
      serializers: {
        err: (error: unknown) => errorFields(error, { stacks: logger.isLevelEnabled('debug') || !isExpected(error) }),
      },
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cut(value)])),
      },
    },
    { write: (line: string) => void out.write(text ? toText(line) : line) },
  )
  return logger
}
