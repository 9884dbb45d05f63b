import { SvcError } from '@svc/errors'
import type { ValueCheck } from '@svc/structured-output'

const MISMATCH = 'answer_form_mismatch'

/** Checks the text of a complete answer. @throws SvcError when it has not the form that was asked for */
export type AnswerCheck = (answer: string) => void

/** Checks a complete call. @throws SvcError when its arguments are not what the tool takes */
export type CallCheck = (name: string, json: string) => void

/** A check of the calls of strict tools. */
export function createCallCheck(check: (name: string, value: unknown) => ReturnType<ValueCheck>): CallCheck {
  return (name, json) => report(check(name, parseAnswer(json)))
}

/**
 * A check of answers that are to be JSON: backends may ignore a grammar, and some of a schema no grammar can say.
 *
 * @param options.mayBeCut the client has stop words of its own: what ends at one is what it asked for
 */
export function createAnswerCheck(check: ValueCheck, options: { readonly mayBeCut: boolean }): AnswerCheck {
  return (answer) => {
    if (options.mayBeCut && !isJson(answer)) return
    report(check(parseAnswer(answer)))
  }
}

function report(problems: ReturnType<ValueCheck>): void {
  if (problems === undefined) return
  const [first] = problems
  throw mismatch(first === undefined ? 'it does not match' : `${first.pointer || 'the value'} ${first.reason}`)
}

/** Whether a text is one whole JSON value. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function parseAnswer(answer: string): unknown {
  try {
    return JSON.parse(answer)
  } catch (cause) {
    throw mismatch('it is no JSON', cause)
  }
}

/** Whether an error says that an answer has not the form that was asked for. */
export function isFormMismatch(error: unknown): error is SvcError {
  return SvcError.is(error) && error.code === MISMATCH
}

function mismatch(reason: string, cause?: unknown): SvcError {
  return new SvcError('internal', `the model's answer has not the form that was asked for: ${reason}`, {
    code: MISMATCH,
    cause,
  })
}
