/** Lines for the operator: the host keeps the end of a backend's output. */
export interface Log {
  warn(message: string): void
  error(message: string): void
}

/** A log with one line per message on a stream, such as stderr. */
export function createLog(stream: { write(text: string): unknown }): Log {
  const write = (level: string, message: string): void => {
    stream.write(`${level}: ${message.trim().replace(/\s*[\r\n]+\s*/g, ' ')}\n`)
  }
  return { warn: (message) => write('warn', message), error: (message) => write('error', message) }
}
