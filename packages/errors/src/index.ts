/**
 * The one error class of svc, its closed list of kinds, and the conversion of anything thrown.
 *
 * @module
 */
export { checkArgument } from './check-argument.ts'
export { ERROR_KINDS, type ErrorKind, isErrorKind } from './kinds.ts'
export { SvcError, type SvcErrorDetails, type SvcErrorOptions, toSvcError } from './svc-error.ts'
export { isTypedArray } from './typed-arrays.ts'
