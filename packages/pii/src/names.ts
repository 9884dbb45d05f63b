/**
 * The names that settings of detectors may hold: built-in patterns and encodings. This module loads no detector.
 *
 * @module
 */
export { ENCODINGS, type Encoding } from './encoded/encodings.ts'
export { FAKE_KINDS, type FakeKind } from './fakes/fake-names.ts'
export {
  BUILTIN_NAMES,
  BUILTIN_SETS,
  type BuiltinName,
  type BuiltinSet,
} from './pattern/builtin-names.ts'
export { PHONE_REGIONS, STRUCTURED_NAMES } from './pattern/structured-names.ts'
export { SECRET_NAMES } from './secrets/secret-names.ts'
