import { toSvcError } from '@svc/errors'
import { listInputModalities } from '../../catalog/capabilities.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { MediaKind, Medium } from '../media/attachment.ts'
import type { MediaReader } from '../media/media-reader.ts'
import type { ToolMedium } from './result-text.ts'

/** The media of results, for one request. */
export interface ResultMedia {
  /** The kinds that the model takes. */
  readonly accepts: ReadonlySet<MediaKind>
  /** Reads the media of one result; those that cannot be read are described in notes. */
  read(
    media: readonly ToolMedium[],
    options: { readonly signal: AbortSignal },
  ): Promise<{ readonly media: readonly Medium[]; readonly notes: readonly string[] }>
  /** Gives the memory of the media back. */
  release(): void
}

const KINDS: readonly MediaKind[] = ['image', 'audio']
/** Most media of the results of one request. */
const MAX_MEDIA = 64

/**
 * Creates the reading of media for a model. Nothing is held before the first medium.
 *
 * @param options.blocksMedia whether the policy of the request lets no media join
 */
export function createResultMedia(
  reader: MediaReader,
  model: ModelConfig,
  { blocksMedia }: { readonly blocksMedia: boolean },
): ResultMedia {
  const modalities: ReadonlySet<string> = new Set(listInputModalities(model))
  const accepts = new Set(blocksMedia ? [] : KINDS.filter((kind) => modalities.has(kind)))
  const openings: ReturnType<MediaReader['open']>[] = []
  let count = 0
  return {
    accepts,
    async read(media, { signal }) {
      const read: Medium[] = []
      const notes: string[] = []
      for (const { type, data, mediaType } of media) {
        count += 1
        if (openings.length === 0) openings.push(reader.open())
        try {
          if (count > MAX_MEDIA) throw new Error(`more than ${MAX_MEDIA} media`)
          const attachment = { kind: type, source: { base64: data, mediaType }, param: 'the result' } as const
          const medium = await openings[0]?.read(attachment, { accepts, signal })
          if (medium !== undefined) read.push(medium)
        } catch (error) {
          signal.throwIfAborted()
          notes.push(
            `a medium is left out: ${count > MAX_MEDIA ? `more than ${MAX_MEDIA}` : toSvcError(error).message}`,
          )
        }
      }
      return { media: read, notes }
    },
    release() {
      for (const opened of openings.splice(0)) opened.release()
    },
  }
}
