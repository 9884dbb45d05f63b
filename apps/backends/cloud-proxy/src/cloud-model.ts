import type { ModelOptions } from '@svc/backend-client/proto'
import type { Log } from '@svc/backend-kit'
import { parseOptions } from '@svc/backend-kit/options'
import { SvcError } from '@svc/errors'
import type { Upstream } from '@svc/http-client'
import {
  type ChatUpstream,
  type CloudTarget,
  createChatUpstream,
  loadCloudTarget,
  type Provider,
  type SecretReader,
} from '@svc/proxy'
import { createTranslator, type TranslateMode } from '@svc/proxy/translate'

/** Dependencies of loading a model. */
export interface LoadContext {
  readonly upstream: Pick<Upstream, 'send'>
  readonly secrets: SecretReader
  readonly log: Log
}

/** A model at an upstream, with its way of forwarding: unchanged, or translated. */
export type CloudModel = { readonly target: CloudTarget } & (
  | { readonly mode: 'passthrough' }
  | { readonly mode: 'translate'; readonly chat: ChatUpstream; readonly translate: TranslateMode }
)

/** The words for both formats, neutral names included. */
const PROVIDERS: ReadonlyMap<string, Provider> = new Map([
  ['provider_a', 'provider_a'],
  ['openai', 'provider_a'],
  ['provider_b', 'provider_b'],
  ['anthropic', 'provider_b'],
])

/**
 * Loads a model: checks its settings and reads its key.
 *
 * @throws {SvcError} `invalid_proxy_settings`
 */
export async function loadCloudModel(
  request: ModelOptions,
  { upstream, secrets, log }: LoadContext,
): Promise<CloudModel> {
  const { Proxy: settings, Model: identity } = request
  if (settings === undefined) throw invalid('proxy', 'is needed')
  const mode = readMode(settings.mode)
  const provider = readProvider(settings.provider)
  if (mode === 'translate' && provider === undefined) throw invalid('proxy.provider', 'is needed to translate')
  const options = parseOptions(request.Options)
  const translate = readChoice(options, 'translate', ['text', 'full'])
  const target = await loadCloudTarget({ ...settings, provider }, { secrets })
  const caches = settings.cachePrompt && mode === 'translate' && provider === 'provider_b'
  if (settings.cachePrompt && !caches)
    log.warn('proxy.cache_prompt: means something to translate with provider_b alone')
  if (mode === 'passthrough') return { mode, target }
  const model = target.upstreamModel ?? identity
  if (model === '') throw invalid('proxy.upstream_model', 'is needed where the model has no name')
  const translator = createTranslator({
    provider: target.provider,
    mode: translate,
    model,
    cachePrompt: caches,
    sendsSampling: readChoice(options, 'sampling', ['drop', 'send']) === 'send',
    limitField: readChoice(options, 'limit_field', ['max_completion_tokens', 'max_tokens']),
    asksUsage: readChoice(options, 'stream_usage', ['true', 'false']) === 'true',
  })
  const chat = createChatUpstream({
    upstream,
    translator,
    url: target.url,
    headers: target.headers,
    requestTimeoutMs: target.timeoutMs,
  })
  return { mode, target, chat, translate }
}

function readMode(mode: string): 'passthrough' | 'translate' {
  if (mode === '' || mode === 'passthrough') return 'passthrough'
  if (mode === 'translate') return mode
  throw invalid('proxy.mode', 'expected passthrough or translate')
}

function readProvider(provider: string): Provider | undefined {
  if (provider === '') return undefined
  const known = PROVIDERS.get(provider)
  if (known === undefined) throw invalid('proxy.provider', 'expected provider_a or provider_b')
  return known
}

/** Reads an option; its first value is the default. */
function readChoice<const Word extends string>(
  options: ReadonlyMap<string, string>,
  name: string,
  words: readonly [Word, ...Word[]],
): Word {
  const given = options.get(name)
  const word = given === undefined ? words[0] : words.find((one) => one === given)
  if (word === undefined) throw invalid(name, `expected ${words.join(' or ')}`)
  return word
}

function invalid(param: string, message: string): SvcError {
  return new SvcError('invalid_request', `${param}: ${message}`, {
    code: 'invalid_proxy_settings',
    details: { param },
  })
}
