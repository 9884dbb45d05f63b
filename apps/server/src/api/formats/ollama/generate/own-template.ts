import { randomUUID } from 'node:crypto'
import { SvcError } from '@svc/errors'
import { compileGoTemplate } from '@svc/templates'

/** Data that a template of a request may show. */
export interface TemplateText {
  readonly system: string
  readonly prompt: string
  readonly suffix: string
}

/** Tighter limits than for a template of a model file, because a client wrote this one. */
const LIMITS = { maxSourceBytes: 65_536, maxSteps: 200_000, maxPatternMillis: 100, maxListLength: 10_000 }

/**
 * Renders the prompt with a template of the request: the output before `.Response`, or all of it.
 *
 * @throws {SvcError} `invalid_request` when the template does not compile, fails or exceeds a limit
 */
export function renderOwnTemplate(template: string, { system, prompt, suffix }: TemplateText): string {
  const answer = randomUUID()
  const messages = [...(system === '' ? [] : [{ Role: 'system', Content: system }]), { Role: 'user', Content: prompt }]
  const data = { System: system, Prompt: prompt, Suffix: suffix, Messages: messages, Response: answer }
  try {
    const [before = ''] = compileGoTemplate(template, { limits: LIMITS }).render(data).split(answer)
    return before
  } catch (error) {
    if (!SvcError.is(error)) throw error
    throw invalid(error.message, error)
  }
}

function invalid(reason: string, cause?: unknown): SvcError {
  return new SvcError('invalid_request', `template: ${reason}`, {
    code: 'invalid_template',
    cause,
    details: { param: 'template' },
  })
}
