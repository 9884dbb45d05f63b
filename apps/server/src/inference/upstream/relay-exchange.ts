import { SvcError } from '@svc/errors'
import type { PushUpstream } from '@svc/http-client'
import { createSseRestorer, restoreJsonBody, type TokenMap } from '@svc/pii/reversible'
import { type ByteRewriter, createCloudRequest, createPassthroughBody, type Provider, relay } from '@svc/proxy'
import { NO_USAGE } from '../events.ts'
import type { Exchange } from '../exchange.ts'
import type { CloudModels } from './cloud-models.ts'
import { toUsage } from './upstream-usage.ts'

/** What relaying needs. */
export interface RelayParts {
  readonly models: CloudModels
  readonly upstream: PushUpstream
  /** Whether clients learn nothing of why something failed. */
  readonly opaque: SvcError | undefined
}

/** Sends a request upstream as it came, but for its edits and the model's name, and its reply to the client as it comes. */
export async function relayExchange(exchange: Exchange, { models, upstream, opaque }: RelayParts): Promise<void> {
  const { call, document, splices, model, restoration, writer } = exchange
  const outgoing = writer.relayTarget
  if (outgoing === undefined)
    throw new SvcError('internal', 'this reply cannot be relayed', { code: 'no_relay_target' })
  const target = await models.targetOf(model)
  const { bytes, isStream } = createPassthroughBody(document, { upstreamModel: target.upstreamModel, splices })
  const outcome = await relay({
    upstream,
    request: createCloudRequest(target, { client: (name) => call.header(name), body: bytes, isStream }),
    provider: target.provider,
    outgoing,
    signal: call.ending,
    rewriter: restoration && createRestorer(target.provider, restoration),
    describe: opaque && (() => opaque),
    throwsRefusals: opaque !== undefined,
  })
  exchange.usage = outcome.usage === undefined ? NO_USAGE : toUsage(outcome.usage)
  exchange.failure = outcome.failure
  exchange.upstreamStatus = outcome.status
}

const OPEN_BRACE = 0x7b
/** A longer JSON reply goes on as it is: its tokens stay tokens. */
const MAX_RESTORED_BYTES = 32 * 1024 * 1024

/** Puts masked values back into a reply, be it events or one JSON body: no stream of events begins with a brace. */
function createRestorer(provider: Provider, map: TokenMap): ByteRewriter {
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
