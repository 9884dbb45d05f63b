import type { LogFields, Logger } from '../../../ports.ts'

/** One line of a log. */
export interface LogLine {
  readonly level: keyof Logger
  readonly fields: LogFields
  readonly message: string
}

/** A logger that keeps its lines. */
export function createCollectingLogger(): { readonly logger: Logger; readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = []
  const write = (level: keyof Logger) => (fields: LogFields, message: string) => {
    lines.push({ level, fields, message })
  }
  return {
    lines,
    logger: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
  }
}
