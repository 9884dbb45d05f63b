/** Reads headers of GGUF model files and refuses headers that contradict the file. */

export type { GgufSource } from './cursor.ts'
export { GgufError } from './errors.ts'
export { type GgufHeader, type ReadGgufOptions, readGgufHeader } from './header.ts'
export type { GgufValue } from './keys.ts'
export { readLeadingKeys } from './leading-keys.ts'
