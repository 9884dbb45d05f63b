/**
 * The names that settings of detectors may hold: built-in patterns and encodings. This module loads no detector.
 *
 * @module
 */
export { ENCODINGS, type Encoding } from './encoded/encodings.ts'
export { BUILTIN_NAMES, type BuiltinName } from './pattern/builtin-names.ts'
