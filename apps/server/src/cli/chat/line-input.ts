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
  const prompts: string[] = []
  let lines: string[] = []
  let isPasting = false
  let isQuiet = false
  let overflow: 'none' | 'untold' | 'told' = 'none'
  let hasEnded = false
  let isClosed = false
  let wake: () => void = () => undefined

  const redraw = (): void => {
    editor.setPrompt(lines.length === 0 ? PROMPT : MORE)
    editor.prompt(true)
  }
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
  const remark = (line: string): void => {
    output.stream.write(`\n${escapeLine(line)}\n`)
    if (!hasEnded) redraw()
  }
  const tellOverflow = (): void => {
    if (overflow !== 'untold' || isQuiet) return
    overflow = 'told'
    remark(`At most ${maxLines} lines can wait. The lines after them are dropped.`)
  }
  const onKey = (_text: string | undefined, key: Key): void => {
    // The editor stops the program next. It goes on with `SIGCONT`.
    if (key.ctrl === true && key.name === 'z') mark(MARKS_PASTES.off)
    if (key.name === 'paste-start') isPasting = true
    if (key.name === 'paste-end') isPasting = false
  }
  input.prependListener('keypress', onKey)
  editor.on('line', (line) => {
    const continues = !isPasting && line.endsWith('\\')
    if (lines.length + prompts.length < maxLines) lines.push(continues ? line.slice(0, -1) : line)
    else if (overflow === 'none') overflow = 'untold'
    tellOverflow()
    if (isPasting || continues) return redraw()
    if (lines.length > 0) prompts.push(lines.join('\n'))
    lines = []
    if (overflow === 'told') overflow = 'none'
    wake()
  })
  editor.on('SIGINT', onInterrupt)
  editor.on('SIGCONT', () => {
    mark(MARKS_PASTES.on)
    // The editor pauses before this event.
    editor.resume()
  })
  // The terminal has its own editor back, also where an error ends the program.
  const onExit = (): void => mark(MARKS_PASTES.off)
  process.once('exit', onExit)
  editor.on('close', () => {
    hasEnded = true
    setQuiet(false)
    process.off('exit', onExit)
    onExit()
    wake()
  })
  mark(MARKS_PASTES.on)

  return {
    async next() {
      setQuiet(false)
      tellOverflow()
      const early = prompts.shift()
      if (early !== undefined) {
        output.stream.write(`${PROMPT}${escapeLines(early)}\n`)
        return early
      }
      if (!hasEnded) redraw()
      while (prompts.length === 0 && !hasEnded) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      return prompts.shift()
    },
    setQuiet,
    discard() {
      prompts.length = 0
      lines = []
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
      setQuiet(false)
      input.off('keypress', onKey)
      output.stream.write('\n')
    },
  }
}
