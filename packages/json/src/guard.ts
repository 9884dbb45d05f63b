import { checkArgument, isTypedArray } from '@svc/errors'

/**
 * Default limit of the depth of arrays and objects. `[[1]]` is two deep; a scalar document is zero deep.
 */
export const DEFAULT_MAX_DEPTH = 128

/** Default limit of objects, arrays and object keys in a document, counted together. */
export const DEFAULT_MAX_NODES = 1_000_000

/**
 * The longest document in bytes, 512 MiB less one. Not a setting: token offsets are kept in 29 bits, and the
 * runtime's own strings end there too.
 */
export const MAX_JSON_BYTES = 0x1fff_ffff

/** Limits of a document. A document at a limit passes, one past it is refused with `json_limit`. */
export interface JsonLimits {
  /** Deepest nesting of arrays and objects. @default {@link DEFAULT_MAX_DEPTH} */
  readonly maxDepth?: number | undefined
  /** Most objects, arrays and keys together; other values do not count. @default {@link DEFAULT_MAX_NODES} */
  readonly maxNodes?: number | undefined
}

/** {@link JsonLimits} with the defaults filled in. */
export interface ResolvedLimits {
  readonly maxDepth: number
  readonly maxNodes: number
}

/** Fills in the defaults. */
export function resolveLimits(limits: JsonLimits = {}): ResolvedLimits {
  const { maxDepth = DEFAULT_MAX_DEPTH, maxNodes = DEFAULT_MAX_NODES } = limits
  checkArgument(maxDepth >= 0, 'parseJson: maxDepth', 'a number, 0 or more', maxDepth)
  checkArgument(maxNodes >= 0, 'parseJson: maxNodes', 'a number, 0 or more', maxNodes)
  return { maxDepth, maxNodes }
}

/**
 * Refuses anything but bytes: a text, an object or a node of another tree has no byte offsets.
 *
 * @throws {SvcError} `invalid_argument`
 */
export function checkBytes(bytes: Uint8Array, name: string): void {
  checkArgument(isTypedArray(bytes, 'Uint8Array'), name, 'a Uint8Array', bytes)
}
