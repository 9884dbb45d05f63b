import type { JsonNode } from '@svc/json'

/** Texts that a body holds in another form than strings, such as the numbers of a carried conversation. */
export interface HiddenTexts {
  /** The value that holds them. */
  readonly node: JsonNode
  readonly segments: readonly { readonly path: string; readonly text: string }[]
  /** Encodes other texts for the value, one for each segment, as JSON. */
  encode(texts: readonly string[]): Uint8Array
}
