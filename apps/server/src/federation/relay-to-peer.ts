import { SvcError } from '@svc/errors'
import type { Header, PushUpstream } from '@svc/http-client'
import { type CloudTarget, createCloudRequest, relay, UpstreamStatusError } from '@svc/proxy'
import type { ModelRequest } from '../inference/core/pipeline.ts'
import { createRestorer, type RelayUpstream } from '../inference/serving/upstream/relay.ts'
import { toUsage } from '../inference/serving/upstream/upstream-usage.ts'
import { isGenerating } from '../inference/stages/access.ts'
import { traceRelayTarget, traceRewriter } from '../inference/tracing/trace-reply.ts'
import type { PeerOutcome, ServerSeries } from '../monitoring/server-series.ts'
import { createPeerBody, type PeerBody } from './create-body.ts'
import { type Federation, noPeer } from './federation.ts'
import type { Peer } from './peer.ts'

/** Options of {@link createPeerRelay}. */
export interface PeerRelayParts {
  /** The federation; undefined while it is off. */
  readonly federation: () => Federation | undefined
  readonly upstream: PushUpstream
  readonly userAgent: string
  readonly series: Pick<ServerSeries, 'countPeerRequest'>
  /** The error that replaces all others when causes are hidden. */
  readonly opaque: SvcError | undefined
}

/** Most peers that one request is sent to. */
const MAX_ASKED = 4
/** Statuses with which a peer leaves a request to another one. */
const LEFT_TO_OTHERS: ReadonlySet<number> = new Set([404, 429, 502, 503, 504])
/** Failures that show that a peer cannot be reached. Another one is asked, and this one rests until its next check. */
const UNREACHED: ReadonlySet<unknown> = new Set([
  'unresolvable',
  'connection_refused',
  'unreachable',
  'tls',
  'connection_lost',
  'connect',
])

/** Sends requests to a peer that has the model, and to another one where the first does not begin to answer. */
export function createPeerRelay(parts: PeerRelayParts): RelayUpstream {
  return async (asked, outgoing, traceparent) => {
    const federation = parts.federation()
    if (federation === undefined) throw noPeer(asked.request.model.name)
    const body = await createPeerBody(asked)
    try {
      await askPeers({ ...parts, federation, asked, outgoing, traceparent, body })
    } finally {
      body.release()
    }
  }
}

interface Asking extends Omit<PeerRelayParts, 'federation'> {
  readonly federation: Federation
  readonly asked: ModelRequest
  readonly outgoing: Parameters<RelayUpstream>[1]
  readonly traceparent: string | undefined
  readonly body: PeerBody
}

async function askPeers(asking: Asking): Promise<void> {
  const { federation, asked, outgoing, series } = asking
  const { model, context } = asked.request
  const tried = new Set<Peer>()
  let failure: unknown = noPeer(model.name)
  while (tried.size < MAX_ASKED) {
    const peer = federation.choose(model.name, tried)
    if (peer === undefined) break
    tried.add(peer)
    const isLast = tried.size === MAX_ASKED || federation.choose(model.name, tried) === undefined
    peer.running += 1
    try {
      await askPeer(asking, { peer, isLast })
      series.countPeerRequest(peer.label, tellOutcome(asking))
      return
    } catch (error) {
      series.countPeerRequest(peer.label, context.abort.aborted ? 'left' : 'failed')
      failure = error
      if (outgoing.headersSent || context.abort.aborted || !isLeftToOthers(error)) throw error
      if (!isUnreached(error)) continue
      federation.noteFailure(peer)
      if (federation.peers().every(({ isHealthy }) => !isHealthy)) failure = noPeer(model.name)
    } finally {
      peer.running -= 1
    }
  }
  throw failure
}

/** The end of a request whose reply has begun: it may have broken off. */
function tellOutcome({ asked }: Asking): PeerOutcome {
  if (asked.request.context.abort.aborted) return 'left'
  return asked.ledger.failure === undefined ? 'answered' : 'failed'
}

function isLeftToOthers(error: unknown): boolean {
  if (error instanceof UpstreamStatusError) return LEFT_TO_OTHERS.has(error.status)
  return isUnreached(error) || (SvcError.is(error) && error.kind === 'upstream_failed')
}

/** A slow answer and a full pool of this server say nothing of the peer. */
function isUnreached(error: unknown): boolean {
  if (!SvcError.is(error) || (error.kind !== 'upstream_failed' && error.kind !== 'timeout')) return false
  return UNREACHED.has(error.details?.['reason'])
}

async function askPeer(
  { upstream, userAgent, opaque, asked, outgoing, traceparent, body }: Asking,
  { peer, isLast }: { readonly peer: Peer; readonly isLast: boolean },
): Promise<void> {
  const { request, filtered, ledger } = asked
  const { context, model } = request
  const { path, usecase } = context.route
  const provider = path === '/v1/messages' ? 'provider_b' : 'provider_a'
  const { trace } = ledger
  const { restoration } = filtered
  const restorer = restoration && createRestorer(provider, restoration)
  const target: CloudTarget = {
    url: new URL(`${peer.url}${path}`),
    provider,
    upstreamModel: undefined,
    timeoutMs: undefined,
    headers: [
      ['user-agent', userAgent],
      ['accept-encoding', 'identity'],
      ['x-correlation-id', context.requestId],
      ...(peer.passKey ? passCredential(context.header.bind(context)) : peer.credential),
    ],
  }
  const own: Readonly<Record<string, string | undefined>> = { 'content-type': body.contentType, traceparent }
  const account = ledger.open(model)
  try {
    const outcome = await relay({
      upstream,
      request: createCloudRequest(target, {
        client: (name) => own[name] ?? context.header(name),
        body: body.bytes,
        isStream: true,
      }),
      provider,
      headers: Object.entries(ledger.headers),
      outgoing: trace === undefined ? outgoing : traceRelayTarget(outgoing, trace, restorer !== undefined),
      signal: context.abort,
      rewriter: trace?.keepsBodies && restorer ? traceRewriter(restorer, trace) : restorer,
      describe: opaque && (() => opaque),
      throwsRefusals: (status) => opaque !== undefined || (!isLast && LEFT_TO_OTHERS.has(status)),
      passesStreams: !PROVIDER_STREAMS.has(path),
    })
    if (outcome.usage !== undefined) account.count(toUsage(outcome.usage))
    if (isGenerating(usecase)) account.noteAnswer(outcome.answerBytes, outcome.uncountedBytes)
    ledger.failure = outcome.failure
    ledger.upstreamStatus = outcome.status
  } catch (error) {
    // A client that leaves pays what it has sent, as at an upstream.
    if (!outgoing.headersSent && !context.abort.aborted) ledger.fail(account)
    throw error
  }
}

/** Routes whose streams are those of a provider. */
const PROVIDER_STREAMS: ReadonlySet<string> = new Set(['/v1/chat/completions', '/v1/completions', '/v1/messages'])

/** The credential with which the caller came, for a peer that is set to get it. A cookie is never one. */
function passCredential(header: (name: string) => string | undefined): Header[] {
  return (['authorization', 'x-api-key'] as const).flatMap((name): Header[] => {
    const value = header(name)
    return value === undefined || value.length > 8192 || !/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
      ? []
      : [[name, value]]
  })
}
