import { SvcError } from '@svc/errors'
import type * as z from 'zod'
import { describeIssue, describeTypes, isPlainKey } from './describe-issue.ts'

type Issue = z.core.$ZodIssue

/**
 * The typed value of a body, or an error that names the field at fault. The message states the expectation and never
 * repeats the sent value.
 *
 * @throws SvcError `invalid_request`, code `invalid_body`, `details.param` the field as `messages[2].content`
 * @example
 * const request = parseBody(chatCompletionRequest, JSON.parse(text))
 */
export function parseBody<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { error: describeIssue })
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const { path, message } = issue === undefined ? { path: [], message: 'is not valid' } : mostSpecific(issue)
  const param = formatPath(path)
  throw new SvcError('invalid_request', param === '' ? `the body ${message}` : `${param}: ${message}`, {
    code: 'invalid_body',
    details: { param: param === '' ? undefined : param },
  })
}

/** Picks the most useful issue: of a union's branches the one that got furthest into the value. */
function mostSpecific(issue: Issue): { path: readonly PropertyKey[]; message: string } {
  if (issue.code !== 'invalid_union') return { path: issue.path, message: issue.message }
  let best: { path: readonly PropertyKey[]; message: string } | undefined
  const expected: string[] = []
  for (const [first] of issue.errors) {
    if (first === undefined) continue
    const branch = mostSpecific(first)
    if (first.code === 'invalid_type' && branch.path.length === 0) expected.push(first.expected)
    else if (best === undefined || branch.path.length > best.path.length) best = branch
  }
  if (best !== undefined && best.path.length > 0) return { path: [...issue.path, ...best.path], message: best.message }
  if (best !== undefined && expected.length === 0) return { path: issue.path, message: best.message }
  const message = expected.length > 0 ? `must be ${describeTypes(expected)}` : issue.message
  return { path: issue.path, message }
}

/** A path as `messages[2].content`; a key that is not a plain word is the sender's text and shows as `*`. */
function formatPath(path: readonly PropertyKey[]): string {
  let text = ''
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`
    else {
      const key = typeof segment === 'string' && isPlainKey(segment) ? segment : '*'
      text += text === '' ? key : `.${key}`
    }
  }
  return text
}
