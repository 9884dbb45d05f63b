/**
 * JSON over bytes: an offset tokenizer with depth and size guards, a tree over its tokens, and splices that edit
 * a document without touching any other byte. Nothing here recurses, and nothing but `@svc/errors` is imported.
 *
 * @module
 */

// Bytes to document.

export { parseJson, parseJsonCooperatively } from './parse.ts'
export { runInSlices, type SliceOptions } from './slices.ts'

// Limits of a document, and the refusal past them.

export { JsonError, type JsonErrorCode } from './errors.ts'
export { DEFAULT_MAX_DEPTH, DEFAULT_MAX_NODES, type JsonLimits, MAX_JSON_BYTES } from './guard.ts'

// The tree.

export type { JsonValue } from './to-value.ts'
export { type JsonDocument, type JsonKind, type JsonMember, type JsonNode, toValueCooperatively } from './tree.ts'
export { type JsonPath, type StringLeaf, walkStrings } from './walk-strings.ts'

// Edits to bytes, and to the tree.

export { encodeJsonString } from './encode.ts'
export { applySplices, type Splice } from './splice.ts'
export { spliceCooperatively } from './splice-document.ts'
