import { once } from 'node:events'
import { Writable } from 'node:stream'
import { escapeLine, escapeLines } from '../logging/terminal-text.ts'

/**
 * Prints a text of lines on standard output. Names and descriptions come from galleries, files and other servers: their
 * control characters are shown and never sent.
 */
export function print(text: string): void {
  process.stdout.write(escapeLines(text))
}

/** Prints a value as one line of JSON on standard output. */
export function printJson(value: unknown): void {
  print(`${JSON.stringify(value)}\n`)
}

/** Prints a text of lines on standard error. */
export function printError(text: string): void {
  process.stderr.write(escapeLines(text))
}

/** Prints a file: byte by byte for other programs, and as {@link print} does at a terminal. */
export function printFile(content: string): void {
  if (process.stdout.isTTY) print(content)
  else process.stdout.write(content)
}

/** Prints a text with colours. Every foreign part has passed {@link escapeLine}. */
export function printColored(text: string): void {
  process.stdout.write(text)
}

/** Prints one line, of foreign text too, on standard output. */
export function printLine(line: string): void {
  process.stdout.write(`${escapeLine(line)}\n`)
}

/** Prints one line, of foreign text too, on standard error. */
export function printErrorLine(line: string): void {
  process.stderr.write(`${escapeLine(line)}\n`)
}

/** Replaces the last line of standard error, which is a terminal. */
export function redrawLine(line: string): void {
  process.stderr.write(`\r\u001b[K${escapeLine(line)}`)
}

/**
 * Prints a part of a text that has been made fit for a terminal, and waits while the reader of standard output is
 * behind, but not after an abort.
 */
export async function printPiece(text: string, { signal }: { readonly signal: AbortSignal }): Promise<void> {
  if (text === '' || process.stdout.destroyed) return
  if (process.stdout.write(text) || signal.aborted) return
  await once(process.stdout, 'drain', { signal })
}

/** Where an editor of lines draws, as long as it is not quiet. */
export interface EditorOutput {
  readonly stream: Writable
  setQuiet(isQuiet: boolean): void
}

/** The terminal behind standard output for an editor of lines. */
export function createEditorOutput(): EditorOutput {
  let isQuiet = false
  const stream = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      if (!isQuiet) process.stdout.write(chunk)
      done()
    },
  })
  Object.defineProperty(stream, 'columns', { get: () => process.stdout.columns })
  process.stdout.on('resize', () => stream.emit('resize'))
  return {
    stream,
    setQuiet(quiet) {
      isQuiet = quiet
    },
  }
}
