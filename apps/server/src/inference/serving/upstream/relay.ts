import type { SvcError } from '@svc/errors'
import type { PushUpstream } from '@svc/http-client'
import { createSseRestorer, restoreJsonBody, type TokenMap } from '@svc/pii/reversible'
import {
  type ByteRewriter,
  createCloudRequest,
  createPassthroughBody,
  type Provider,
  type ReplyTarget,
  relay,
} from '@svc/proxy'
import type { ModelRequest } from '../../core/pipeline.ts'
import { traceRelayTarget, traceRewriter } from '../../tracing/trace-reply.ts'
import type { CloudModels } from './cloud-models.ts'
import { toUsage } from './upstream-usage.ts'

/** Options of {@link createRelay}. */
export interface RelayParts {
  readonly models: CloudModels
  readonly upstream: PushUpstream
  /** The error that replaces all others when causes are hidden. */
  readonly opaque: SvcError | undefined
}

/**
 * Relays requests: asks the upstream and writes its reply as it comes.
 *
 * @param traceparent the span in the header for the upstream. @default the one of the client
 */
export type RelayUpstream = (asked: ModelRequest, outgoing: ReplyTarget, traceparent?: string) => Promise<void>

/** Sends requests upstream unchanged except for their edits and the model's name. */
export function createRelay({ models, upstream, opaque }: RelayParts): RelayUpstream {
  return async ({ request: { context, document, model }, filtered, ledger }, outgoing, traceparent) => {
    const { splices, restoration } = filtered
    const target = await models.findTarget(model)
    const asksUsage = model.proxy?.streamUsage === true && target.provider === 'provider_a'
    const { upstreamModel } = target
    const { bytes, isStream, addsUsage } = createPassthroughBody(document.texts(), {
      upstreamModel,
      splices,
      asksUsage,
    })
    const { trace } = ledger
    const account = ledger.open(model)
    const restorer = restoration && createRestorer(target.provider, restoration)
    const outcome = await relay({
      upstream,
      request: createCloudRequest(target, {
        client: (name) => (name === 'traceparent' ? (traceparent ?? context.header(name)) : context.header(name)),
        body: bytes,
        isStream,
      }),
      provider: target.provider,
      headers: Object.entries(ledger.headers),
      outgoing: trace === undefined ? outgoing : traceRelayTarget(outgoing, trace, restorer !== undefined),
      signal: context.abort,
      stripsUsage: addsUsage,
      rewriter: trace?.keepsBodies && restorer ? traceRewriter(restorer, trace) : restorer,
      describe: opaque && (() => opaque),
      throwsRefusals: opaque !== undefined,
    })
    if (outcome.usage !== undefined) account.count(toUsage(outcome.usage))
    account.noteAnswer(outcome.answerBytes, outcome.uncountedBytes)
    ledger.failure = outcome.failure
    ledger.upstreamStatus = outcome.status
  }
}

const OPEN_BRACE = 0x7b
/** Tokens in a longer JSON reply are not restored. */
const MAX_RESTORED_BYTES = 32 * 1024 * 1024

/** Restores masked values in events or in one JSON body. A stream of events never begins with a brace. */
export function createRestorer(provider: Provider, map: TokenMap): ByteRewriter {
  const events = createSseRestorer(provider === 'provider_b' ? 'messages' : 'chat-completions', map)
  let pieces: Buffer[] = []
  let size = 0
  let isBody: boolean | undefined
  return {
    push(bytes) {
      isBody ??= bytes.find((byte) => byte > 0x20) === OPEN_BRACE
      if (!isBody) return events.push(Buffer.from(bytes))
      pieces.push(Buffer.from(bytes))
      size += bytes.length
      if (size <= MAX_RESTORED_BYTES) return []
      const whole = pieces
      pieces = []
      return whole
    },
    end() {
      if (!isBody) return events.end()
      return size > MAX_RESTORED_BYTES ? pieces : restoreJsonBody(map, Buffer.concat(pieces))
    },
  }
}
