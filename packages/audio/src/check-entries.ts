import { checkArgument, isTypedArray } from '@svc/errors'

/** Refuses options that are not an object. @throws SvcError `invalid_argument` */
export function checkOptions(name: string, options: unknown): void {
  checkArgument(typeof options === 'object' && options !== null, `${name}: options`, 'an object', options)
}

/** Refuses a source that cannot be iterated. @throws SvcError `invalid_argument` */
export function checkPieces(name: string, pieces: unknown): void {
  const isObject = typeof pieces === 'object' && pieces !== null
  checkArgument(
    isObject && (Symbol.asyncIterator in pieces || Symbol.iterator in pieces),
    name,
    'an iterable of bytes',
    pieces,
  )
}

/** Refuses a limit that is not a positive number. @throws SvcError `invalid_argument` */
export function checkLimit(limit: unknown, name: string): void {
  checkArgument(typeof limit === 'number' && limit > 0, name, 'a positive number', limit)
}

/** Refuses bytes that are not a Uint8Array. @throws SvcError `invalid_argument` */
export function checkBytes(name: string, bytes: unknown): void {
  checkArgument(isTypedArray(bytes, 'Uint8Array'), `${name}: bytes`, 'a Uint8Array', bytes)
}

/** Refuses samples that are not floats. @throws SvcError `invalid_argument` */
export function checkSamples(name: string, samples: unknown): void {
  checkArgument(isTypedArray(samples, 'Float32Array'), `${name}: samples`, 'a Float32Array', samples)
}
