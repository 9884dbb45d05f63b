import { SvcError } from '@svc/errors'
import type { ValueCheck } from '../structured-output/check/create-check.ts'

/** Checks the text of a complete answer. @throws SvcError when it has not the form that was asked for */
export type AnswerCheck = (answer: string) => void

/** A check of answers that are to be JSON: backends may ignore a grammar, and some of a schema no grammar can say. */
export function createAnswerCheck(check: ValueCheck): AnswerCheck {
  return (answer) => {
    const problems = check(parseAnswer(answer))
    if (problems === undefined) return
    const [first] = problems
    throw mismatch(first === undefined ? 'it does not match' : `${first.pointer || 'the value'} ${first.reason}`)
  }
}

function parseAnswer(answer: string): unknown {
  try {
    return JSON.parse(answer)
  } catch (cause) {
    throw mismatch('it is no JSON', cause)
  }
}

function mismatch(reason: string, cause?: unknown): SvcError {
  return new SvcError('internal', `the model's answer has not the form that was asked for: ${reason}`, {
    code: 'answer_form_mismatch',
    cause,
  })
}
