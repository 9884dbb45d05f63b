import { createInterface, type Key } from 'node:readline'
import { escapeLine, escapeLines } from '../../logging/terminal-text.ts'
import type { EditorOutput } from '../terminal.ts'

/** Prompts that a person types at a terminal. */
export interface LineInput {
  /** Waits for the next prompt; undefined at the end of the input. A pasted text is one prompt. */
  next(): Promise<string | undefined>
  /** Draws nothing while an answer is printed; keys are kept for the next prompt. */
  setQuiet(isQuiet: boolean): void
  /** Drops everything that was typed and not yet given. */
  discard(): void
  /** Shows a line above the prompt. */
  remark(line: string): void
  close(): void
}

/** Options of {@link openLineInput}. */
export interface LineInputOptions {
  readonly input: NodeJS.ReadStream
  readonly output: EditorOutput
  /** Called for Ctrl-C. */
  readonly onInterrupt: () => void
  /** Most lines that wait for their turn, in one prompt or in several. @default 100,000 */
  readonly maxLines?: number | undefined
}

const PROMPT = '>>> '
const MORE = '... '
/** Bracketed paste: the terminal marks the start and the end of a pasted text. */
const MARKS_PASTES = { on: '\u001b[?2004h', off: '\u001b[?2004l' } as const
const MAX_LINES = 100_000

/** Opens the editor of lines. A backslash at the end of a line continues the prompt. */
export function openLineInput({ input, output, onInterrupt, maxLines = MAX_LINES }: LineInputOptions): LineInput {
  const editor = createInterface({ input, output: output.stream, terminal: true, prompt: PROMPT })
  const terminal = openPasteTerminal({ input, output })
  const prompts = createPromptQueue(maxLines)
  let overflow: 'none' | 'untold' | 'told' = 'none'
  let hasEnded = false
  let isClosed = false
  let wake: () => void = () => undefined

  const redraw = (): void => {
    editor.setPrompt(prompts.isOpen ? MORE : PROMPT)
    editor.prompt(true)
  }
  const remark = (line: string): void => {
    output.stream.write(`\n${escapeLine(line)}\n`)
    if (!hasEnded) redraw()
  }
  const tellOverflow = (): void => {
    if (overflow !== 'untold' || terminal.isQuiet) return
    overflow = 'told'
    remark(`At most ${maxLines} lines can wait. The lines after them are dropped.`)
  }
  editor.on('line', (line) => {
    const continues = !terminal.isPasting && line.endsWith('\\')
    const isKept = prompts.addLine(continues ? line.slice(0, -1) : line)
    if (!isKept && overflow === 'none') overflow = 'untold'
    tellOverflow()
    if (terminal.isPasting || continues) return redraw()
    prompts.complete()
    if (overflow === 'told') overflow = 'none'
    wake()
  })
  editor.on('SIGINT', onInterrupt)
  editor.on('SIGCONT', () => {
    terminal.markPastes()
    // The editor pauses before this event.
    editor.resume()
  })
  editor.on('close', () => {
    hasEnded = true
    terminal.release()
    wake()
  })
  terminal.markPastes()

  return {
    async next() {
      terminal.setQuiet(false)
      tellOverflow()
      const early = prompts.take()
      if (early !== undefined) {
        output.stream.write(`${PROMPT}${escapeLines(early)}\n`)
        return early
      }
      if (!hasEnded) redraw()
      while (prompts.isEmpty && !hasEnded) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      return prompts.take()
    },
    setQuiet: terminal.setQuiet,
    discard() {
      prompts.clear()
      if (hasEnded) return
      // The line of the editor is given up as Ctrl-U and Ctrl-K give it up.
      editor.write(null, { ctrl: true, name: 'e' })
      editor.write(null, { ctrl: true, name: 'u' })
    },
    remark,
    close() {
      if (isClosed) return
      isClosed = true
      editor.close()
      terminal.setQuiet(false)
      output.stream.write('\n')
    },
  }
}

/** Prompts that wait for their turn, and the lines of the next one. */
interface PromptQueue {
  /** Whether no whole prompt waits. */
  readonly isEmpty: boolean
  /** Whether a prompt has lines and is not complete. */
  readonly isOpen: boolean
  /** Adds a line to the open prompt. @returns false when too many lines wait; the line is dropped */
  addLine(line: string): boolean
  /** Ends the open prompt. A prompt without lines is dropped. */
  complete(): void
  take(): string | undefined
  clear(): void
}

function createPromptQueue(maxLines: number): PromptQueue {
  const prompts: string[] = []
  let lines: string[] = []
  return {
    get isEmpty() {
      return prompts.length === 0
    },
    get isOpen() {
      return lines.length > 0
    },
    addLine(line) {
      if (lines.length + prompts.length >= maxLines) return false
      lines.push(line)
      return true
    },
    complete() {
      if (lines.length > 0) prompts.push(lines.join('\n'))
      lines = []
    },
    take: () => prompts.shift(),
    clear() {
      prompts.length = 0
      lines = []
    },
  }
}

/** A terminal that marks pasted texts. */
interface PasteTerminal {
  readonly isPasting: boolean
  readonly isQuiet: boolean
  setQuiet(isQuiet: boolean): void
  /** Asks the terminal for the marks. */
  markPastes(): void
  /** Ends the marks; the terminal has its own editor back. */
  release(): void
}

function openPasteTerminal({ input, output }: Pick<LineInputOptions, 'input' | 'output'>): PasteTerminal {
  let isPasting = false
  let isQuiet = false
  const setQuiet = (quiet: boolean): void => {
    isQuiet = quiet
    output.setQuiet(quiet)
  }
  /** Sends a mark also while the editor draws nothing. */
  const mark = (sequence: string): void => {
    output.setQuiet(false)
    output.stream.write(sequence)
    output.setQuiet(isQuiet)
  }
  const onKey = (_text: string | undefined, key: Key): void => {
    // The editor stops the program next. It goes on with `SIGCONT`.
    if (key.ctrl === true && key.name === 'z') mark(MARKS_PASTES.off)
    if (key.name === 'paste-start') isPasting = true
    if (key.name === 'paste-end') isPasting = false
  }
  // An error that ends the program releases the terminal too.
  const onExit = (): void => mark(MARKS_PASTES.off)
  input.prependListener('keypress', onKey)
  process.once('exit', onExit)
  return {
    get isPasting() {
      return isPasting
    },
    get isQuiet() {
      return isQuiet
    },
    setQuiet,
    markPastes: () => mark(MARKS_PASTES.on),
    release() {
      setQuiet(false)
      input.off('keypress', onKey)
      process.off('exit', onExit)
      onExit()
    },
  }
}
