import { SvcError } from '@svc/errors'
import { listInputModalities } from '../../catalog/capabilities.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { ChatMessage, ChatRequest, GenerationRequest } from '../core/request.ts'
import { mapConcurrently } from '../operations/map-concurrently.ts'
import type { Attachment, MediaKind, Medium } from './attachment.ts'
import { type MediaReader, type MediaReading, notTaken } from './media-reader.ts'

/** A request whose media have been read. */
export interface Attached {
  readonly request: GenerationRequest
  /** Gives the memory of the media back. Call it when the reply has ended. */
  release(): void
}

/** Reads the attachments of messages. */
export interface MediaAttacher {
  /**
   * Gives the request with media in place of its attachments. Fetches nothing that the model does not take.
   *
   * @throws {SvcError} `invalid_request` naming the place, `too_large`, `unavailable`
   */
  attach(
    request: GenerationRequest,
    options: { readonly model: ModelConfig; readonly signal: AbortSignal },
  ): Promise<Attached>
}

/** Exceeds the context of every model. */
const MAX_MEDIA = 64
const FETCHES_AT_ONCE = 4
const KINDS: readonly MediaKind[] = ['image', 'audio', 'video']

/** Creates an attacher on a media reader. */
export function createMediaAttacher(reader: MediaReader): MediaAttacher {
  return {
    async attach(request, { model, signal }) {
      const attachments = request.kind === 'chat' ? listAttachments(request) : []
      if (request.kind !== 'chat' || attachments.length === 0) return { request, release() {} }
      const accepts = listAccepted(model)
      for (const attachment of attachments) refuseUnlessTaken(attachment, accepts)
      const reading = reader.open()
      try {
        const media = await readAll(attachments, { reading, accepts, signal })
        return { request: place(request, media), release: reading.release }
      } catch (error) {
        reading.release()
        throw error
      }
    },
  }
}

function listAttachments({ messages }: ChatRequest): readonly Attachment[] {
  const attachments = messages.flatMap((message) => message.attachments ?? [])
  const excess = attachments[MAX_MEDIA]
  if (excess === undefined) return attachments
  throw new SvcError('invalid_request', `${excess.param}: more than ${MAX_MEDIA} media in one request`, {
    code: 'too_many_media',
    details: { type: 'invalid_request_error', param: excess.param },
  })
}

function listAccepted(model: ModelConfig): ReadonlySet<MediaKind> {
  const modalities: ReadonlySet<string> = new Set(listInputModalities(model))
  return new Set(KINDS.filter((kind) => modalities.has(kind)))
}

/** The kind of a `file` is known only after reading; a model that takes only text takes none. */
function refuseUnlessTaken(attachment: Attachment, accepts: ReadonlySet<MediaKind>): void {
  const { kind } = attachment
  if (kind === 'file' ? accepts.size === 0 : !accepts.has(kind)) throw notTaken(attachment, kind)
}

async function readAll(
  attachments: readonly Attachment[],
  {
    reading,
    accepts,
    signal,
  }: {
    readonly reading: MediaReading
    readonly accepts: ReadonlySet<MediaKind>
    readonly signal: AbortSignal
  },
): Promise<ReadonlyMap<Attachment, Medium>> {
  const media = await mapConcurrently(attachments, { limit: FETCHES_AT_ONCE, signal }, async (attachment, options) => {
    const medium = await reading.read(attachment, { accepts, ...options })
    return [attachment, medium] as const
  })
  return new Map(media)
}

/** Media are sent in the order of the messages, independent of the order of reading. */
function place(request: ChatRequest, read: ReadonlyMap<Attachment, Medium>): ChatRequest {
  const all: Record<MediaKind, string[]> = { image: [], audio: [], video: [] }
  const messages = request.messages.map(({ attachments, ...message }): ChatMessage => {
    if (attachments === undefined) return message
    const counts: Record<MediaKind, number> = { image: 0, audio: 0, video: 0 }
    for (const attachment of attachments) {
      const medium = read.get(attachment)
      if (medium === undefined) continue
      counts[medium.kind] += 1
      all[medium.kind].push(medium.base64)
    }
    return { ...message, media: { images: counts.image, audio: counts.audio, video: counts.video } }
  })
  return { ...request, messages, media: { images: all.image, audio: all.audio, video: all.video } }
}
