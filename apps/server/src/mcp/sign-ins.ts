import { randomBytes } from 'node:crypto'
import { auth, extractWWWAuthenticateParams, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js'
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js'
import { SvcError } from '@svc/errors'
import type { OAuthSettings, RemoteServerSettings } from '../catalog/mcp-settings.ts'
import { untilAborted } from '../concurrency/until-aborted.ts'
import type { OutboundClient } from '../outbound/client.ts'
import type { Clock } from '../ports.ts'
import { serverFailed, toServerFailure } from './failures.ts'
import { createGuardedFetch } from './guarded-fetch.ts'
import { MAX_MESSAGE_BYTES } from './limits.ts'
import type { SealedRecords } from './sealed-records.ts'
import { createSignInProvider, type SignInProviderOptions, type SignInRecord } from './sign-in-provider.ts'

/** A remote server of a model that wants a sign-in. */
export interface SignInTarget {
  readonly model: string
  readonly server: RemoteServerSettings
}

/** The sign-ins of this server to MCP servers. */
export interface SignIns {
  /** The tokens of a session; undefined for servers without the key `oauth`. @throws {SvcError} `mcp_sign_in_needed` */
  provider(target: SignInTarget): Promise<OAuthClientProvider | undefined>
  /**
   * Begins a sign-in.
   *
   * @param callback the address that the browser comes back to
   * @returns the address at which a person signs in; undefined where tokens could be had without one
   * @throws {SvcError} `upstream_failed`
   */
  begin(target: SignInTarget, callback: string, signal: AbortSignal): Promise<string | undefined>
  /**
   * Finishes a sign-in. Each state works once.
   *
   * @returns the model and server
   * @throws {SvcError} `invalid_request` for an unknown or used state; `upstream_failed`
   */
  finish(answer: { readonly state: string; readonly code: string }, signal: AbortSignal): Promise<SignInTarget>
  /** Forgets the tokens and the client of a server. */
  forget(target: SignInTarget): Promise<void>
}

/** Options of {@link createSignIns}. */
export interface SignInsOptions {
  readonly records: SealedRecords<SignInRecord>
  /** The sign-ins under way, by their states. */
  readonly pending: SealedRecords<PendingSignIn>
  readonly outbound: OutboundClient
  readonly clock: Clock
}

/** A sign-in under way. */
export interface PendingSignIn {
  readonly target: SignInTarget
  readonly redirectUrl: string
  readonly verifier: string
  /** Milliseconds since the epoch. */
  readonly until: number
}

/** Time that a person has to sign in. */
const SIGN_IN_MS = 10 * 60_000
const TIMEOUT_MS = 30_000

/** Creates the sign-ins. */
export function createSignIns({ records, pending, outbound, clock }: SignInsOptions): SignIns {
  /** Runs steps of the protocol with a fetch of their own; they end with the signal. */
  async function run<T>(
    { server }: SignInTarget,
    signal: AbortSignal,
    steps: (fetch: FetchLike) => Promise<T>,
  ): Promise<T> {
    const { name, url, headers, oauth } = server
    const guarded = createGuardedFetch({
      client: outbound,
      clock,
      server: name,
      url,
      trust: 'operator',
      headers,
      issuer: oauth?.issuer,
      timeoutMs: TIMEOUT_MS,
      maxMessageBytes: MAX_MESSAGE_BYTES,
      onLost: () => undefined,
    })
    try {
      return await untilAborted(steps(guarded.fetch), signal)
    } catch (error) {
      signal.throwIfAborted()
      throw toServerFailure(error, { server: name, what: 'answer the sign-in' })
    } finally {
      guarded.close()
    }
  }

  function open(
    target: SignInTarget,
    settings: OAuthSettings,
    rest: Pick<SignInProviderOptions, 'onAuthorize'> &
      Partial<Pick<SignInProviderOptions, 'redirectUrl' | 'state' | 'verifier'>>,
  ) {
    const { redirectUrl, state = '', verifier = '', onAuthorize } = rest
    return createSignInProvider({ id: toId(target), settings, records, redirectUrl, state, verifier, onAuthorize })
  }

  return {
    async provider(target) {
      const { oauth: settings, name } = target.server
      if (settings === undefined) return undefined
      const id = toId(target)
      const onAuthorize = async (url: URL): Promise<never> => {
        const wantedScope = url.searchParams.get('scope') ?? undefined
        await records.change(id, (record) => ({ ...record, wantedScope }))
        throw signInNeeded(name)
      }
      if (settings.grant === 'client') return open(target, settings, { onAuthorize })
      const record = await records.get(id)
      if (record?.tokens === undefined) throw signInNeeded(name)
      return open(target, settings, { redirectUrl: record.redirectUrl, onAuthorize })
    },
    async begin(target, callback, signal) {
      const settings = needSettings(target)
      const state = randomBytes(32).toString('base64url')
      let address: URL | undefined
      const redirectUrl = settings.grant === 'client' ? undefined : callback
      const onAuthorize = (url: URL): void => {
        address = url
      }
      const provider = open(target, settings, { redirectUrl, state, onAuthorize })
      const id = toId(target)
      const wanted = (await records.get(id))?.wantedScope
      await records.change(id, (record) => ({ client: record?.client, redirectUrl }))
      await run(target, signal, async (fetchFn) => {
        const { resourceMetadataUrl, scope = wanted } = await probe(target.server.url, fetchFn)
        const asked = { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope === undefined ? {} : { scope }) }
        return auth(provider, { serverUrl: target.server.url, fetchFn, ...asked })
      })
      if (address === undefined) return undefined
      const verifier = await provider.codeVerifier()
      await pending.change(state, () => ({ target, redirectUrl: callback, verifier, until: clock.now() + SIGN_IN_MS }))
      return address.href
    },
    async finish({ state, code }, signal) {
      const found = await takePending(state, { pending, clock })
      if (found === undefined) {
        throw new SvcError('invalid_request', 'this sign-in is unknown, over or was used: begin a new one', {
          code: 'mcp_sign_in_state',
          details: { param: 'state' },
        })
      }
      const { target, redirectUrl, verifier } = found
      const onAuthorize = (): never => {
        throw signInNeeded(target.server.name)
      }
      const provider = open(target, needSettings(target), { redirectUrl, verifier, onAuthorize })
      const serverUrl = target.server.url
      await run(target, signal, (fetchFn) => auth(provider, { serverUrl, fetchFn, authorizationCode: code }))
      return target
    },
    forget: (target) => records.change(toId(target), () => undefined),
  }
}

/** Takes a sign-in that is under way. Each can be taken once. */
async function takePending(
  state: string,
  { pending, clock }: Pick<SignInsOptions, 'pending' | 'clock'>,
): Promise<PendingSignIn | undefined> {
  let found: PendingSignIn | undefined
  await pending.change(state, (entry) => {
    found = entry
    return undefined
  })
  return found !== undefined && found.until > clock.now() ? found : undefined
}

/** Asks the server what it wants, as a client without tokens does. */
async function probe(url: string, fetch: FetchLike): Promise<ReturnType<typeof extractWWWAuthenticateParams>> {
  const params = {
    protocolVersion: LATEST_PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: 'svc', version: '1' },
  }
  const reply = await fetch(url, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  })
  await reply.body?.cancel()
  return reply.status === 401 ? extractWWWAuthenticateParams(reply) : {}
}

function toId({ model, server }: SignInTarget): string {
  return JSON.stringify([model, server.name, server.url])
}

function needSettings({ server }: SignInTarget): OAuthSettings {
  if (server.oauth !== undefined) return server.oauth
  throw new SvcError('invalid_request', `the MCP server "${server.name}" has no key oauth`, { code: 'mcp_no_sign_in' })
}

function signInNeeded(server: string): SvcError {
  const { kind, message } = serverFailed(server, 'wants an administrator to sign in')
  return new SvcError(kind, message, { code: 'mcp_sign_in_needed' })
}
