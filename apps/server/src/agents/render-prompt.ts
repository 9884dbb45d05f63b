import { SvcError } from '@svc/errors'
import { compileGoTemplate } from '@svc/templates'
import { refuseAgent } from './agent-errors.ts'

const LIMITS = { maxSteps: 200_000, maxPatternMillis: 100, maxListLength: 10_000, maxOutputBytes: 4 * 1024 * 1024 }

/**
 * Fills parameters into a prompt, a template of Go's `text/template`: `{{.name}}`.
 *
 * @throws {SvcError} `invalid_request` when the template does not compile, fails or exceeds a limit
 */
export function renderPrompt(prompt: string, parameters: Readonly<Record<string, string>>): string {
  try {
    return compileGoTemplate(prompt, { limits: LIMITS }).render({ ...parameters })
  } catch (error) {
    throw toRefusal(error)
  }
}

/** Checks the template of a prompt. @throws {SvcError} `invalid_request` */
export function checkPrompt(prompt: string): void {
  try {
    compileGoTemplate(prompt, { limits: LIMITS })
  } catch (error) {
    throw toRefusal(error)
  }
}

function toRefusal(error: unknown): unknown {
  return SvcError.is(error) ? refuseAgent(`prompt: ${error.message}`, 'prompt') : error
}
