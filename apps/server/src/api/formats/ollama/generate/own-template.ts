import { randomUUID } from 'node:crypto'
import { SvcError } from '@svc/errors'
import { compileGoTemplate } from '@svc/templates'

/** What a template of a request may show. */
export interface TemplateText {
  readonly system: string
  readonly prompt: string
  readonly suffix: string
}

/** A template of a stranger gets less of the time of all than one of a model's file. */
const LIMITS = { maxSourceBytes: 65_536, maxSteps: 200_000, maxPatternMillis: 100, maxListLength: 10_000 }

/**
 * The prompt that a template of the request makes: what it writes before `.Response`, or all of it.
 *
 * @throws {SvcError} `invalid_request` for one that does not compile, fails, or takes too much
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
