/**
 * Reads headers of GGUF model files and refuses those that lie.
 *
 * @module
 */

export type { GgufSource } from './cursor.ts'
export { GgufError } from './errors.ts'
export { type GgufHeader, type ReadGgufOptions, readGgufHeader } from './header.ts'
export type { GgufValue } from './keys.ts'
