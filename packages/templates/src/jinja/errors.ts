import { SvcError } from '@svc/errors'
import type { JinjaLimits } from './limits.ts'

/** The exception that Python would have raised. `TemplateError` comes from `raise_exception` in a template. */
export type JinjaException =
  | 'TemplateError'
  | 'TemplateRuntimeError'
  | 'UndefinedError'
  | 'SecurityError'
  | 'FilterArgumentError'
  | 'TypeError'
  | 'ValueError'
  | 'KeyError'
  | 'LookupError'
  | 'IndexError'
  | 'AttributeError'
  | 'AssertionError'
  | 'OverflowError'
  | 'ZeroDivisionError'
  | 'RuntimeError'

/** A template that cannot be read: kind `invalid_request`, code `template_syntax`. */
export class JinjaSyntaxError extends SvcError {
  override readonly name = 'JinjaSyntaxError'
  /** Line of the template, from 1. */
  readonly line: number

  constructor(message: string, line: number) {
    super('invalid_request', message, { code: 'template_syntax', details: { line } })
    this.line = line
  }
}

/**
 * A template that failed while rendering: kind `invalid_request`, code `template_raised` where the template itself
 * called `raise_exception` (the message is its text, unchanged), else `template_runtime`.
 */
export class JinjaRuntimeError extends SvcError {
  override readonly name = 'JinjaRuntimeError'
  /** Line of the template, from 1: that of the statement or operation that failed. */
  readonly line: number
  readonly exception: JinjaException

  constructor(message: string, { line, exception }: { readonly line: number; readonly exception: JinjaException }) {
    const code = exception === 'TemplateError' ? 'template_raised' : 'template_runtime'
    super('invalid_request', message, { code, details: { line, exception } })
    this.line = line
    this.exception = exception
  }
}

/** A template that wants more than the limits allow: kind `invalid_request`, code `template_limit`. */
export class JinjaLimitError extends SvcError {
  override readonly name = 'JinjaLimitError'
  /** Line of the template, from 1; 0 when no line is at fault, as for a source that is too long. */
  readonly line: number
  /** The exceeded limit; undefined when the engine itself had too little memory or stack. */
  readonly limit: keyof JinjaLimits | undefined

  constructor(message: string, { line, limit }: { readonly line: number; readonly limit?: keyof JinjaLimits }) {
    super('invalid_request', message, { code: 'template_limit', details: { line } })
    this.line = line
    this.limit = limit
  }
}

/** An exception inside a rendering, without its line. Never leaves this folder. */
export class Raised extends Error {
  override readonly name = 'Raised'
  readonly exception: JinjaException

  constructor(exception: JinjaException, message: string) {
    super(message)
    this.exception = exception
  }
}

/** Fails as Python would, with this exception. */
export function raise(exception: JinjaException, message: string): never {
  throw new Raised(exception, message)
}
