/**
 * The catalogue of secrets as data: names, forms, examples and the sources of the forms. Detectors use it by the names
 * of its kinds.
 *
 * @module
 */

export type { SecretCheck, SecretKind, SecretPart } from './secrets/secret-kind.ts'
export { SECRET_KINDS } from './secrets/secret-kinds.ts'
