import { SvcError } from '@svc/errors'
import type { ValueCheck } from '@svc/structured-output'

const MISMATCH = 'answer_form_mismatch'

/** Checks the text of a complete answer. @throws SvcError when it does not match the requested form */
export type AnswerCheck = (answer: string) => void

/** Checks a complete call. @throws SvcError when the tool does not take its arguments */
export type CallCheck = (name: string, json: string) => void

/** Creates a check for calls of strict tools. */
export function createCallCheck(check: (name: string, value: unknown) => ReturnType<ValueCheck>): CallCheck {
  return (name, json) => report(check(name, parseAnswer(json)))
}

/**
 * Creates a check for JSON answers: backends may ignore a grammar, and a grammar cannot express all of a schema.
 *
 * @param options.mayBeCut the client has stop texts of its own: an answer that ends at one is complete
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
    throw mismatch('it is not JSON', cause)
  }
}

/** Whether an error reports an answer that does not match the requested form. */
export function isFormMismatch(error: unknown): error is SvcError {
  return SvcError.is(error) && error.code === MISMATCH
}

function mismatch(reason: string, cause?: unknown): SvcError {
  return new SvcError('internal', `the model's answer has not the form that was asked for: ${reason}`, {
    code: MISMATCH,
    cause,
  })
}
