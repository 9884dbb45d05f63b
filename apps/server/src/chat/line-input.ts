import { createInterface, type Key } from 'node:readline'
import type { EditorOutput } from '../terminal.ts'
import { escapeLine, escapeLines } from '../terminal-text.ts'

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
}

const PROMPT = '>>> '
const MORE = '... '
/** Bracketed paste: the terminal marks the start and the end of a pasted text. */
const MARKS_PASTES = { on: '\u001b[?2004h', off: '\u001b[?2004l' } as const
/** Most lines that wait for their turn, in one prompt or in several. */
const MAX_LINES = 100_000

/** Opens the editor of lines. A backslash at the end of a line continues the prompt. */
export function openLineInput({ input, output, onInterrupt }: LineInputOptions): LineInput {
  const editor = createInterface({ input, output: output.stream, terminal: true, prompt: PROMPT })
  const prompts: string[] = []
  let lines: string[] = []
  let isPasting = false
  let hasEnded = false
  let isClosed = false
  let wake: () => void = () => undefined

  const redraw = (): void => {
    editor.setPrompt(lines.length === 0 ? PROMPT : MORE)
    editor.prompt(true)
  }
  const onKey = (_text: string | undefined, key: Key): void => {
    if (key.name === 'paste-start') isPasting = true
    if (key.name === 'paste-end') isPasting = false
  }
  input.on('keypress', onKey)
  editor.on('line', (line) => {
    if (lines.length + prompts.length >= MAX_LINES) return
    const continues = !isPasting && line.endsWith('\\')
    lines.push(continues ? line.slice(0, -1) : line)
    if (isPasting || continues) return redraw()
    prompts.push(lines.join('\n'))
    lines = []
    wake()
  })
  editor.on('SIGINT', onInterrupt)
  editor.on('close', () => {
    hasEnded = true
    wake()
  })
  output.stream.write(MARKS_PASTES.on)

  return {
    async next() {
      output.setQuiet(false)
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
    setQuiet: output.setQuiet,
    discard() {
      prompts.length = 0
      lines = []
      // The line of the editor is given up as Ctrl-U and Ctrl-K give it up.
      editor.write(null, { ctrl: true, name: 'e' })
      editor.write(null, { ctrl: true, name: 'u' })
    },
    remark(line) {
      output.stream.write(`\n${escapeLine(line)}\n`)
      redraw()
    },
    close() {
      if (isClosed) return
      isClosed = true
      output.setQuiet(false)
      output.stream.write(`${MARKS_PASTES.off}\n`)
      input.off('keypress', onKey)
      editor.close()
    },
  }
}
