import type { JsonNode } from '@svc/json'

/** Texts that stand in a body in another form than strings, such as the numbers of a carried conversation. */
export interface HiddenTexts {
  /** The value that holds them. */
  readonly node: JsonNode
  readonly segments: readonly { readonly path: string; readonly text: string }[]
  /** The value that holds other texts instead, one for each segment, as JSON. */
  encode(texts: readonly string[]): Uint8Array
}
