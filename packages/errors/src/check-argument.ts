import { SvcError } from './svc-error.ts'

/**
 * Refuses an argument that a public function cannot work with. The compiler checks types only for callers that use
 * TypeScript.
 *
 * @param isFit whether the argument is of the wanted form
 * @param name function and argument: `parseJson: bytes`
 * @param wanted the form, after "must be": `a Uint8Array`
 * @throws {SvcError} `invalid_argument`, kind `internal`: the calling code is wrong. The message names the kind of the
 *   value, never its content
 * @example
 * checkArgument(isTypedArray(bytes, 'Uint8Array'), 'parseJson: bytes', 'a Uint8Array', bytes)
 */
export function checkArgument(isFit: boolean, name: string, wanted: string, given: unknown): void {
  if (isFit) return
  throw new SvcError('internal', `${name} must be ${wanted}, not ${describeKind(given)}`, { code: 'invalid_argument' })
}

function describeKind(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'string' ? 'this text' : `a ${typeof value}`
}
