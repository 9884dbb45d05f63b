import { SvcError } from '@svc/errors'
import { RE2JS } from 're2js'

const MAX_PATTERNS = 100
const MAX_PATTERN = 1024

/** Whether patterns name a path. */
export type PathTest = (path: string) => boolean

/**
 * Compiles the patterns of an artifact as the model hub reads them: `*` matches any characters, also slashes, `?` for
 * one, `[ab]` for one of several, and a slash at the end for everything below a folder.
 *
 * @throws {SvcError} `invalid_request`, code `invalid_pattern`
 */
export function compilePatterns(patterns: readonly string[]): PathTest {
  if (patterns.length > MAX_PATTERNS) throw invalid(`there are more than ${MAX_PATTERNS}`)
  const compiled = patterns.map((pattern) => {
    if (pattern.length > MAX_PATTERN) throw invalid('one is too long')
    return RE2JS.compile(toExpression(pattern.endsWith('/') ? `${pattern}*` : pattern), RE2JS.DOTALL)
  })
  return (path) => compiled.some((expression) => expression.matches(path))
}

function toExpression(pattern: string): string {
  let expression = ''
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern.charAt(index)
    const end = character === '[' ? pattern.indexOf(']', index + 2) : -1
    if (character === '*') expression += '.*'
    else if (character === '?') expression += '.'
    else if (end > 0) {
      expression += toClass(pattern.slice(index + 1, end))
      index = end
    } else expression += RE2JS.quote(character)
  }
  return expression
}

function toClass(content: string): string {
  const isNegated = content.startsWith('!')
  const members = (isNegated ? content.slice(1) : content).replaceAll(/[\\^[\]&]/g, '\\$&')
  return `[${isNegated ? '^' : ''}${members}]`
}

function invalid(reason: string): SvcError {
  return new SvcError('invalid_request', `the patterns of an artifact cannot be used: ${reason}`, {
    code: 'invalid_pattern',
  })
}
