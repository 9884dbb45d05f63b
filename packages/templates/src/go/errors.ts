import { SvcError } from '@svc/errors'

/** The template is not Go template syntax, or names a function that does not exist. Code `template_syntax`. */
export class GoTemplateSyntaxError extends SvcError {
  override readonly name = 'GoTemplateSyntaxError'
  /** 1-based line of the template. */
  readonly line: number

  constructor(message: string, line: number) {
    super('invalid_request', `template line ${line}: ${message}`, { code: 'template_syntax', details: { line } })
    this.line = line
  }
}

/**
 * The template failed on this data: an unknown struct field, a wrong type, an index out of range, `fail`. Code
 * `template_exec`. The message names types and never quotes the data.
 */
export class GoTemplateExecError extends SvcError {
  override readonly name = 'GoTemplateExecError'
  /** 1-based line of the template. */
  readonly line: number

  constructor(message: string, line: number) {
    super('invalid_request', `template line ${line}: ${message}`, { code: 'template_exec', details: { line } })
    this.line = line
  }
}

/** A template, its data or its result is larger than a limit allows. Code `template_limit`. */
export class GoTemplateLimitError extends SvcError {
  override readonly name = 'GoTemplateLimitError'
  /** The limit that was passed. */
  readonly limit: string

  constructor(limit: string, most: number) {
    super('invalid_request', `template exceeds the limit ${limit} of ${most}`, {
      code: 'template_limit',
      details: { limit, most },
    })
    this.limit = limit
  }
}

/** The error of a template function; the evaluator adds the line and makes it a {@link GoTemplateExecError}. */
export class GoCallError extends Error {
  override readonly name = 'GoCallError'
}

/** Ends the call with an error that the template's author can read. It must not quote data. */
export function fail(message: string): never {
  throw new GoCallError(message)
}
