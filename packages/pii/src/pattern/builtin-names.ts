import { SECRET_NAMES } from '../secrets/secret-names.ts'
import { STRUCTURED_NAMES } from './structured-names.ts'

/** The names for configurations: of each built-in the neutral one, then the others. */
export const BUILTIN_NAMES = [...SECRET_NAMES, ...STRUCTURED_NAMES] as const

/** A name of a built-in pattern. */
export type BuiltinName = (typeof BUILTIN_NAMES)[number]

/** The names of several built-ins together: all secrets, all structured texts, and both. */
export const BUILTIN_SETS = ['secrets', 'structured', 'all'] as const

/** A name of several built-ins. */
export type BuiltinSet = (typeof BUILTIN_SETS)[number]
