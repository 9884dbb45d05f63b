import { RE2JS } from 're2js'

const MAX_EXPRESSION_LENGTH = 1024

/** Compiles expressions over route patterns (RE2). @throws {RangeError} for one that is too long */
export function compileExemptions(expressions: readonly string[]): (pattern: string) => boolean {
  const compiled = expressions.map((source) => {
    if (source.length > MAX_EXPRESSION_LENGTH)
      throw new RangeError('an exempted-endpoints expression is longer than 1024 characters')
    return RE2JS.compile(source)
  })
  return (pattern) => compiled.some((expression) => expression.matcher(pattern).find())
}
