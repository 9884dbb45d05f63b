/** A kind of media that a model can take beside text. */
export type MediaKind = 'image' | 'audio' | 'video'

/** The source of a medium, as a client names it. */
export type MediaSource =
  /** A `data:` URL in base64, or an address to fetch from. */
  | { readonly url: string }
  /** Bytes in base64, standard or URL-safe, with the media type that the client claims. */
  | { readonly base64: string; readonly mediaType?: string | undefined }

/** A medium of a message that has not been read yet. */
export interface Attachment {
  /** `file`: the content decides the kind. */
  readonly kind: MediaKind | 'file'
  readonly source: MediaSource
  /** The place in the request's body, for refusals: `messages[0].content[1]`. */
  readonly param: string
}

/** A medium as backends take it. */
export interface Medium {
  readonly kind: MediaKind
  /** The type that the first bytes show. */
  readonly mediaType: string
  /** The content in the standard alphabet of base64, padded, without blanks. */
  readonly base64: string
}

/** The media of a whole request in base64, each kind in the order of the messages. */
export interface RequestMedia {
  readonly images: readonly string[]
  readonly audio: readonly string[]
  readonly video: readonly string[]
}
