/** What a model can be shown beside text. */
export type MediaKind = 'image' | 'audio' | 'video'

/** Where a medium comes from, as a client says it. */
export type MediaSource =
  /** A `data:` URL in base64, or an address to fetch it from. */
  | { readonly url: string }
  /** The bytes in base64, standard or URL-safe, and what the client calls them. */
  | { readonly base64: string; readonly mediaType?: string | undefined }

/** A medium of a message that has not been read yet. */
export interface Attachment {
  /** `file`: whatever its content turns out to be. */
  readonly kind: MediaKind | 'file'
  readonly source: MediaSource
  /** The place in the request's body, for refusals: `messages[0].content[1]`. */
  readonly param: string
}

/** A medium as backends take it. */
export interface Medium {
  readonly kind: MediaKind
  /** As its first bytes tell. */
  readonly mediaType: string
  /** In the standard alphabet, padded, without blanks. */
  readonly base64: string
}

/** The media of a whole request in base64, each kind in the order of the messages. */
export interface RequestMedia {
  readonly images: readonly string[]
  readonly audio: readonly string[]
  readonly video: readonly string[]
}
