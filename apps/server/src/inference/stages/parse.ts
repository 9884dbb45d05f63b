import { applySplices, type JsonDocument, parseJsonCooperatively } from '@svc/json'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { listFailoverTargets } from '../../catalog/serving.ts'
import type { Exchange } from '../exchange.ts'
import type { MediaAttacher } from '../media/attach-media.ts'
import type { Stage } from '../pipeline.ts'
import type { RequestRoute } from '../ports.ts'
import { servesCloudModels } from '../upstream/check-route.ts'
import { toChatBody } from '../upstream/translate-exchange.ts'

/** The body after the edits of earlier stages. */
async function editedDocument({ document, splices, call }: Exchange): Promise<JsonDocument> {
  if (splices.length === 0) return document
  return parseJsonCooperatively(applySplices(document.bytes, splices), {}, { signal: call.signal })
}

/** Whether one of the targets of a model is asked in the format of an upstream. */
function mayTranslate(model: ModelConfig, row: RequestRoute): boolean {
  return (
    servesCloudModels(row) && listFailoverTargets(model).some((target) => target.model.serving.kind === 'translation')
  )
}

/**
 * Only now is the body checked against the route's schema and mapped to the domain; media that it carries or names are
 * read for the model that was found, and held until the reply has ended.
 */
export function parseStage(media: MediaAttacher): Stage {
  // What goes upstream as it came is nobody's but the upstream's to check.
  return (exchange) => (exchange.model.serving.kind === 'relay' ? undefined : map(exchange))

  async function map(exchange: Exchange): Promise<void> {
    const { codec, model, call } = exchange
    const document = await editedDocument(exchange)
    const parsed = await codec.parse(document, { signal: call.signal })
    if (model.serving.kind === 'translation') {
      exchange.request = parsed
      exchange.upstreamChat = await toChatBody(exchange, document)
      return
    }
    const { request, release } = await media.attach(parsed, { model, signal: call.signal })
    exchange.atEnd(release)
    exchange.request = request
    if (mayTranslate(model, call.row)) exchange.upstreamChat = await toChatBody(exchange, document)
    if ('begin' in codec) await codec.begin?.()
  }
}
