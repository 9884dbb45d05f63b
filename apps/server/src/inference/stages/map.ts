import type { MediaAttacher } from '../media/attach-media.ts'
import type { Stage } from '../pipeline.ts'

/**
 * Only now is the body checked against the route's schema and mapped to the domain; media that it carries or names are
 * read for the model that was found, and held until the reply has ended.
 */
export function mapStage(media: MediaAttacher): Stage {
  return async (exchange, next) => {
    const { codec, document, model, call } = exchange
    const parsed = await codec.parse(document, { signal: call.signal })
    const { request, release } = await media.attach(parsed, { model, signal: call.signal })
    try {
      exchange.request = request
      if ('begin' in codec) await codec.begin?.()
      await next()
    } finally {
      release()
    }
  }
}
