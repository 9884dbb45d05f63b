import type { ModelConfig } from '../../catalog/model-config.ts'
import { isRelayed, listFailoverTargets } from '../../catalog/serving.ts'
import type { PrivateFiles } from '../../files/private-files.ts'
import type { FilteredRequest } from '../../pii/request-filter.ts'
import type { Cleanup, Parsed, ResolvedRequest, Stages } from '../core/pipeline.ts'
import type { RequestContext, RequestRoute } from '../core/ports.ts'
import type { ChatMessage } from '../core/request.ts'
import { editFileNames, editTexts } from '../documents/request-document.ts'
import type { MediaAttacher } from '../media/attach-media.ts'
import { openMediaInputs } from '../media/media-inputs.ts'
import type { MediaReader } from '../media/media-reader.ts'
import type { FormattedCall, GenerationCall } from '../replies/wire-format.ts'
import { servesCloudModels } from '../serving/upstream/check-route.ts'
import { toUpstreamChat } from '../serving/upstream/translate.ts'

/** Parts of {@link createParse}. */
export interface ParseParts {
  readonly attacher: MediaAttacher
  readonly reader: MediaReader
  /** Makes files for media that backends read. */
  readonly uploads: Pick<PrivateFiles, 'create'>
}

/**
 * Checks the body against the schema of its format and converts it to the domain. Media are read for the resolved model
 * and held until the reply has ended.
 */
export function createParse({ attacher, reader, uploads }: ParseParts): Stages['parse'] {
  // Only the upstream checks a relayed body.
  return (request, filtered, cleanup) => (isRelayed(request.model) ? undefined : parse(request, filtered, cleanup))

  async function parse(request: ResolvedRequest, filtered: FilteredRequest, cleanup: Cleanup): Promise<Parsed> {
    const { format, replyModel, model, context } = request
    const { signal } = context
    const editing = editTexts(request.document, filtered.splices, signal)
    const document = editing instanceof Promise ? await editing : editing
    const files = editFileNames(request.document, filtered)
    const media = openMediaInputs({ reader, files: uploads, cleanup, signal })
    const owner = context.principal.id
    const call = await format.read(document, { model: replyModel, files, media, owner, signal })
    if (model.serving.kind === 'translation') return { call, upstreamChat: await toUpstreamChat(context, document) }
    const attached = hasAttachments(call) ? await attachMedia(call, { model, context, cleanup }) : call
    const upstreamChat = mayTranslate(model, context.route) ? await toUpstreamChat(context, document) : undefined
    if (attached.kind === 'generation' && attached.begin !== undefined) await attached.begin()
    return { call: attached, upstreamChat }
  }

  async function attachMedia(
    call: GenerationCall,
    {
      model,
      context,
      cleanup,
    }: { readonly model: ModelConfig; readonly context: RequestContext; readonly cleanup: Cleanup },
  ): Promise<GenerationCall> {
    const { request, release } = await attacher.attach(call.request, { model, signal: context.signal })
    cleanup.add(release)
    return { ...call, request }
  }
}

/** Whether messages of the request have media. */
function hasAttachments(call: FormattedCall): call is GenerationCall {
  return call.kind === 'generation' && call.request.kind === 'chat' && call.request.messages.some(isWithMedia)
}

function isWithMedia({ attachments }: ChatMessage): boolean {
  return attachments !== undefined
}

/** Whether a failover target of the model is asked in the format of an upstream. */
function mayTranslate(model: ModelConfig, route: RequestRoute): boolean {
  return (
    servesCloudModels(route) && listFailoverTargets(model).some((target) => target.model.serving.kind === 'translation')
  )
}
