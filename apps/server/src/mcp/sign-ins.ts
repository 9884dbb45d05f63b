import { randomBytes } from 'node:crypto'
import { auth, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { SvcError } from '@svc/errors'
import type { OAuthSettings, RemoteServerSettings } from '../catalog/mcp-settings.ts'
import { untilAborted } from '../concurrency/until-aborted.ts'
import type { OutboundClient } from '../outbound/client.ts'
import type { Clock } from '../ports.ts'
import { serverFailed, toServerFailure } from './failures.ts'
import { createGuardedFetch } from './guarded-fetch.ts'
import { MAX_MESSAGE_BYTES } from './limits.ts'
import type { SealedRecords } from './sealed-records.ts'
import { createSignInProvider, type SignInRecord } from './sign-in-provider.ts'

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
  readonly outbound: OutboundClient
  readonly clock: Clock
}

interface Pending {
  readonly target: SignInTarget
  readonly provider: OAuthClientProvider
  /** Monotonic milliseconds. */
  readonly until: number
}

/** Time that a person has to sign in. */
const SIGN_IN_MS = 10 * 60_000
/** Maximum number of sign-ins under way. */
const MAX_PENDING = 100
const TIMEOUT_MS = 30_000

/** Creates the sign-ins. */
export function createSignIns({ records, outbound, clock }: SignInsOptions): SignIns {
  const pending = new Map<string, Pending>()

  /** Runs the steps of the protocol; they end with the signal. */
  async function run({ server }: SignInTarget, provider: OAuthClientProvider, signal: AbortSignal, code?: string) {
    const { name, url, oauth } = server
    const guarded = createGuardedFetch({
      client: outbound,
      clock,
      server: name,
      url,
      trust: 'operator',
      headers: server.headers,
      issuer: oauth?.issuer,
      timeoutMs: TIMEOUT_MS,
      maxMessageBytes: MAX_MESSAGE_BYTES,
      onLost: () => undefined,
    })
    try {
      const authorizationCode = code === undefined ? {} : { authorizationCode: code }
      return await untilAborted(
        auth(provider, { serverUrl: url, fetchFn: guarded.fetch, ...authorizationCode }),
        signal,
      )
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
    rest: { redirectUrl?: string | undefined; state?: string; onAuthorize: (url: URL) => void },
  ) {
    const { redirectUrl, state = '', onAuthorize } = rest
    return createSignInProvider({ id: toId(target), settings, records, redirectUrl, state, onAuthorize })
  }

  function keep(state: string, entry: Pending): void {
    for (const [old, { until }] of pending) if (until <= clock.monotonic()) pending.delete(old)
    const [oldest] = pending.keys()
    if (pending.size >= MAX_PENDING && oldest !== undefined) pending.delete(oldest)
    pending.set(state, entry)
  }

  return {
    async provider(target) {
      const { oauth: settings, name } = target.server
      if (settings === undefined) return undefined
      const onAuthorize = (): never => {
        throw signInNeeded(name)
      }
      if (settings.grant === 'client') return open(target, settings, { onAuthorize })
      const record = await records.get(toId(target))
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
      await records.change(toId(target), (record) => ({
        ...record,
        tokens: undefined,
        discovery: undefined,
        redirectUrl,
      }))
      await run(target, provider, signal)
      if (address === undefined) return undefined
      keep(state, { target, provider, until: clock.monotonic() + SIGN_IN_MS })
      return address.href
    },
    async finish({ state, code }, signal) {
      const found = pending.get(state)
      pending.delete(state)
      if (found === undefined || found.until <= clock.monotonic()) {
        throw new SvcError('invalid_request', 'this sign-in is unknown, over or was used: begin a new one', {
          code: 'mcp_sign_in_state',
          details: { param: 'state' },
        })
      }
      await run(found.target, found.provider, signal, code)
      return found.target
    },
    forget: (target) => records.change(toId(target), () => undefined),
  }
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
