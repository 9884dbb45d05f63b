import { SvcError } from '@svc/errors'
import type { ServerClient } from '../remote-client.ts'
import { printErrorLine, printPiece, redrawLine } from '../terminal.ts'
import { createAnswerText } from './answer-text.ts'
import { askModel, type Question } from './ask-model.ts'

/** The end of an answer, and its text as far as it came. */
export interface PrintedAnswer {
  readonly outcome: 'answered' | 'interrupted' | 'failed'
  readonly text: string
}

const DIM = { on: '\u001b[2m', off: '\u001b[22m' } as const

/**
 * Prints the answer to a question on standard output as it comes. A failure is said on standard error. Where a person
 * looks on, thoughts are shown dimmed; elsewhere only the answer is printed.
 */
export async function printAnswer(
  server: Pick<ServerClient, 'stream'>,
  question: Question,
  { color }: { /** Whether a terminal may get control sequences. */ readonly color: boolean },
): Promise<PrintedAnswer> {
  const { signal } = question
  const isWatched = color && process.stdout.isTTY && process.stderr.isTTY
  const answer = createAnswerText()
  const thoughts = createAnswerText()
  let hasThoughts = false
  let text = ''
  let fault: string | undefined
  if (isWatched) redrawLine('…')
  const endWait = (): void => {
    if (isWatched && text === '' && !hasThoughts) redrawLine('')
  }
  try {
    for await (const piece of askModel(server, question)) {
      endWait()
      if (piece.kind === 'end') {
        if (piece.reason === 'length') fault = 'the answer ended at the limit of its length'
      } else if (piece.kind === 'text') {
        if (hasThoughts && text === '') await printPiece('\n\n', { signal })
        text += piece.text
        await printPiece(answer.push(piece.text), { signal })
      } else if (isWatched) {
        hasThoughts = true
        const thought = thoughts.push(piece.text.replaceAll('\r', ''))
        if (thought !== '') await printPiece(`${DIM.on}${thought}${DIM.off}`, { signal })
      }
    }
    await printPiece(answer.end(), { signal })
    return { outcome: 'answered', text }
  } catch (error) {
    endWait()
    const isInterrupted = signal.aborted
    // Nobody may be there to read the rest: it is written without waiting.
    await printPiece(isInterrupted && text === '' ? '' : answer.end(), { signal: AbortSignal.abort() })
    if (isInterrupted) return { outcome: 'interrupted', text }
    if (!SvcError.is(error)) throw error
    fault = `svc: ${error.message}`
    return { outcome: 'failed', text }
  } finally {
    if (fault !== undefined) printErrorLine(fault)
  }
}
