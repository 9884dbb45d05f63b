import { type Logger as PinoLogger, pino } from 'pino'

export type RootLogger = PinoLogger

/** Longest text of one field, characters (threats LOG-1). */
const MAX_FIELD_LENGTH = 2048

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

/** An error as the log shows it: name, code, message and stack, with its causes below. */
function errorFields(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error) || depth > 4) return cut(String(error))
  const { code } = error as { code?: unknown }
  return {
    type: error.name,
    message: cut(error.message),
    ...(typeof code === 'string' ? { code } : {}),
    stack: cut(error.stack ?? ''),
    ...(error.cause === undefined ? {} : { cause: errorFields(error.cause, depth + 1) }),
  }
}

/** One readable line per event, for people at a terminal. */
function toText(line: string): string {
  try {
    const { level, time, msg, pid: _pid, hostname: _hostname, ...fields } = JSON.parse(line) as Record<string, unknown>
    const rest = Object.entries(fields).map(
      ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    const clock = new Date(Number(time)).toISOString().slice(11, 23)
    return `${clock} ${String(level).toUpperCase().padEnd(5)} ${String(msg)}${rest.length > 0 ? `  ${rest.join(' ')}` : ''}\n`
  } catch {
    return line
  }
}

/** Where lines go. */
export interface LogDestination {
  write(line: string): unknown
}

/**
 * The root logger. Every line is one JSON object, or one line of text where people read it.
 *
 * @param options.format `default` is text at a terminal, JSON elsewhere
 */
export function createLogger(options: {
  level: string
  format: 'default' | 'text' | 'json'
  destination?: LogDestination | undefined
}): RootLogger {
  const out = options.destination ?? process.stdout
  const text =
    options.format === 'text' ||
    (options.format === 'default' && options.destination === undefined && process.stdout.isTTY)
  return pino(
    {
      level: options.level,
      base: null,
      redact: { paths: REDACTED, censor: '[redacted]' },
      serializers: { err: (error: unknown) => errorFields(error) },
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cut(value)])),
      },
    },
    { write: (line: string) => void out.write(text ? toText(line) : line) },
  )
}
