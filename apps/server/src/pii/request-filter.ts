import { SvcError } from '@svc/errors'
import type { JsonDocument, Splice } from '@svc/json'
import { type FilterOutcome, type StopSignal, startFilter } from '@svc/pii'
import type { Detector } from '@svc/pii/detectors'
import {
  collectSegments,
  type DocumentFormat,
  type SegmentCollection,
  type TextSegment,
  type TokenList,
} from '@svc/pii/documents'
import { piiBlocked, piiUnsupportedTransport } from '@svc/pii/errors'
import { createTokenMap, type TokenMap } from '@svc/pii/reversible'
import type { AuditSink, PiiAuditEvent } from '../audit/audit-event.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { Clock } from '../ports.ts'
import { type ConsumerPolicy, findConsumerPolicy, hasWork } from './consumer-policy.ts'
import { readConversationId } from './conversation-id.ts'
import type { ConversationName, ConversationTokens } from './conversation-tokens.ts'
import { busyConversation, createConversationTurns } from './conversation-turns.ts'
import type { DetectorRegistry } from './detectors.ts'
import { createFoundEntries, createUnscannedMediaEntry, createUnscannedTokensEntry, type Occasion } from './entries.ts'
import { failClosed } from './fail-closed.ts'
import type { HiddenTexts } from './hidden-text.ts'
import { collectLaterTexts } from './later-texts.ts'
import type { PiiMetrics } from './metrics.ts'
import { readTokenLists, type TokenReader } from './token-texts.ts'

/** A body that has been read, but not converted. */
export interface FilterableBody extends Omit<Occasion, 'origin'> {
  readonly document: JsonDocument
  readonly format: DocumentFormat
  /** The model that gets the body; undefined for a model of another server. */
  readonly model?: ModelConfig | undefined
  /** Text that the format does not write as strings. @default none */
  readonly hidden?: HiddenTexts | undefined
  /** The id of its conversation in a header. @default the body may name it */
  readonly conversationHeader?: string | undefined
  /** Finds the conversation of a body that names none. @default it has none */
  readonly findConversation?: (() => Promise<string | undefined>) | undefined
  /** The API key of the caller, if one is in use. */
  readonly keyId?: string | undefined
  /** The names of its files, in the order of the form. A file itself is not scanned. @default the body is not a form */
  readonly fileNames?: readonly string[] | undefined
  /** Aborts the request. */
  readonly abort: StopSignal
  /** The same abort, for interfaces that require an `AbortSignal`. */
  readonly signal: AbortSignal
}

/** A request whose model is known. */
export interface FilterableRequest extends FilterableBody {
  readonly model: ModelConfig
  /** Whether it came as a message of a socket. */
  readonly isSocket: boolean
}

/** The policy that a body is filtered by, and the part of the server that asks. */
export interface FilterTask {
  readonly policy: ConsumerPolicy
  readonly origin: Occasion['origin']
}

/** The filtered form of a request. */
export interface FilteredRequest {
  /** Edits of the body. */
  readonly splices: readonly Splice[]
  /** The names of the files as they go on, in the order of the form. @default they are unchanged */
  readonly fileNames?: readonly string[] | undefined
  /** Set when masked values are restored in the reply. */
  readonly restoration?: TokenMap | undefined
  /** Filters the messages that later turns of the request add. @default nothing is filtered */
  readonly later?: LaterFilter | undefined
}

/** Filters texts that join a request while it runs, such as the results of tools, by its policy. */
export interface LaterFilter {
  /** The values of the request that were masked so far. Undefined when they are not restored. */
  readonly masks: TokenMap | undefined
  /** Whether no picture, sound, video or file may join. */
  readonly blocksMedia: boolean
  /** @returns the texts to send @throws {SvcError} as {@link RequestFilter.filter}, as a rejection */
  filter(texts: readonly string[]): Promise<readonly string[]>
}

/** The PII filter as a stage of requests (§6.3). */
export interface RequestFilter {
  /** Gives the present policy of a model. */
  findPolicy(model: ModelConfig): ConsumerPolicy
  /** Whether requests of a model are filtered. */
  watches(model: ModelConfig, options: { readonly isSocket: boolean }): boolean
  /**
   * Filters a request. Resolves at once when all detectors answer at once.
   *
   * @throws {SvcError} `pii_blocked`, `pii_ner_unavailable`, `pii_unsupported_transport`, `invalid_request` for a body
   *   whose readers may disagree about its text, synchronously or later; the request must not go on then
   */
  filter(request: FilterableRequest): FilteredRequest | Promise<FilteredRequest>
  /** Filters a body by any policy. @throws as {@link RequestFilter.filter} */
  filterBody(body: FilterableBody, task: FilterTask): FilteredRequest | Promise<FilteredRequest>
}

/** Options of {@link createRequestFilter}. */
export interface RequestFilterOptions {
  /** Gives the default detectors for models that name none; called for each request. */
  readonly defaults: () => readonly string[]
  readonly detectors: DetectorRegistry
  readonly tokens: TokenReader
  readonly events: AuditSink
  readonly metrics: PiiMetrics
  readonly clock: Clock
  /** Keeps tokens over the requests of a conversation. */
  readonly conversations: Pick<ConversationTokens, 'read' | 'add'>
}

const NOTHING: FilteredRequest = { splices: [] }
/** The result of a policy that looks at media alone. */
const ONLY_TEXT: FilteredRequest = {
  splices: [],
  later: { masks: undefined, blocksMedia: true, filter: async (texts) => texts },
}

/** Formats whose requests may carry media (§2.10). */
const WITH_MEDIA: ReadonlySet<DocumentFormat> = new Set([
  'chat-completions',
  'messages',
  'responses',
  'ollama-chat',
  'ollama-generate',
  'moderations',
  'media',
])

/** Creates the filter. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the steps of one filter, each a function over one scan
export function createRequestFilter(options: RequestFilterOptions): RequestFilter {
  const { defaults, detectors, tokens, events, metrics, clock, conversations } = options
  const turns = createConversationTurns()

  function record(entries: readonly PiiAuditEvent[]): readonly string[] {
    if (entries.length === 0) return []
    metrics.countEvents(entries)
    return events.record(entries)
  }

  /** Refuses a request, after its events are written. */
  async function refuse(entries: readonly PiiAuditEvent[], { correlationId }: Occasion): Promise<never> {
    const ids = record(entries)
    await events.flush().catch(() => undefined)
    const blocking = entries.findIndex(({ facts }) => facts.action === 'block')
    throw piiBlocked({ correlation_id: correlationId, pii_event_id: ids[blocking] })
  }

  /** Runs the detectors, synchronously when all of them answer at once. Every failure is a rejection. */
  function scan(scanned: Scanned): FilterOutcome | Promise<FilterOutcome> {
    const startedAt = clock.monotonic()
    try {
      const outcome = startScan(scanned)
      if (outcome instanceof Promise) return watch(outcome, startedAt, scanned)
      metrics.observeScan((clock.monotonic() - startedAt) / 1000)
      return outcome
    } catch (error) {
      return watch(Promise.reject(error), startedAt, scanned)
    }
  }

  function startScan({ request, policy, texts, masks }: Scanned): FilterOutcome | Promise<FilterOutcome> {
    const run = (found: readonly Detector[]) =>
      startFilter(texts, {
        detectors: found,
        masks,
        clock,
        signal: request.abort,
        correlationId: request.correlationId,
      })
    const found = detectors.find(policy.detectors, request)
    return found instanceof Promise ? found.then(run) : run(found)
  }

  async function watch(
    pending: Promise<FilterOutcome>,
    startedAt: number,
    { occasion }: Scanned,
  ): Promise<FilterOutcome> {
    try {
      return await pending
    } catch (error) {
      throw await failClosed(error, occasion, { events, metrics })
    } finally {
      metrics.observeScan((clock.monotonic() - startedAt) / 1000)
    }
  }

  /** Judges a request whose tokens are kept, again when another request of the conversation gave tokens meanwhile. */
  async function judgeKept(scanned: Scanned, unscanned: readonly TokenList[]): Promise<FilteredRequest> {
    const { conversation, request } = scanned
    if (conversation === undefined) return await judge(scanned, unscanned)
    const { kept, outcome } = await turns.run(conversation, () => scanKept(scanned, conversation), request)
    return await conclude(kept, outcome, unscanned)
  }

  /** Scans with the tokens so far and keeps new ones; gives undefined when others were kept meanwhile. */
  async function scanKept(scanned: Scanned, conversation: ConversationName) {
    const known = await conversations.read(conversation)
    const masks = createTokenMap({ ...conversation, texts: listTexts(scanned.texts.segments), known })
    const kept: Scanned = { ...scanned, masks }
    const outcome = await scan(kept)
    const isKept = outcome.blocked || (await conversations.add(conversation, masks.entries()))
    return isKept ? { kept, outcome } : undefined
  }

  /** @param unscanned token lists that at least one model of the request could not read */
  function judge(scanned: Scanned, unscanned: readonly TokenList[]): FilteredRequest | Promise<FilteredRequest> {
    const outcome = scan(scanned)
    return outcome instanceof Promise
      ? outcome.then((later) => conclude(scanned, later, unscanned))
      : conclude(scanned, outcome, unscanned)
  }

  function conclude(
    scanned: Scanned,
    outcome: FilterOutcome,
    unscanned: readonly TokenList[],
  ): FilteredRequest | Promise<FilteredRequest> {
    const { occasion, masks, collection, policy } = scanned
    const { blocksMedia } = policy
    const later: LaterFilter = { masks, blocksMedia, filter: (texts) => filterLater(scanned, texts) }
    // A reply may repeat tokens of earlier requests of the conversation.
    const restoration = masks !== undefined && masks.size > 0 ? masks : undefined
    if (unscanned.length === 0 && outcome.segments.every(isUntouched)) {
      return { ...withoutEdits(collection), restoration, later }
    }
    const entries = createFoundEntries(occasion, outcome, (index) => toPath(scanned, index))
    if (outcome.blocked) return refuse(entries, occasion)
    const edited = toEdits(scanned, outcome)
    if (edited === 'collision') return refuse([...entries, ...entries.slice(0, 1).map(asBlock)], occasion)
    // A list that is replaced by text holds no tokens any more.
    const passed = unscanned.filter(({ node }) => edited.every(({ start }) => start !== node.start))
    record([...passed.map(({ path }) => createUnscannedTokensEntry(occasion, path)), ...entries])
    const fileNames = toFileNames(scanned, outcome)
    return { splices: edited, fileNames, restoration, later }
  }

  /** Filters each text as the result of a tool in a message of its own. */
  async function filterLater(scanned: Scanned, texts: readonly string[]): Promise<readonly string[]> {
    const { occasion, masks } = scanned
    const later = collectLaterTexts(texts)
    const { collection } = later
    if (collection.refusal !== undefined) throw unreadable()
    const { segments, messages } = collection
    masks?.avoid([...texts, ...segments.map(({ text }) => text)])
    const added: Scanned = { ...scanned, collection, hidden: [], texts: { segments, messages } }
    const outcome = await scan(added)
    const entries = createFoundEntries(occasion, outcome, (index) => later.toPath(toPath(added, index)))
    if (outcome.blocked) return refuse(entries, occasion)
    const { conversation } = scanned
    if (conversation !== undefined && masks !== undefined) {
      if (!(await conversations.add(conversation, masks.entries()))) throw busyConversation()
    }
    const edits = toEdits(added, outcome)
    if (edits === 'collision') return refuse([...entries, ...entries.slice(0, 1).map(asBlock)], occasion)
    record(entries)
    return later.edit(edits)
  }

  /** Reads token lists as text before judging. */
  async function judgeWithTokens(parts: ScanParts): Promise<FilteredRequest> {
    const { request, collection, hidden } = parts
    const { model, signal } = request
    // Only the model that gets the ids could read them.
    if (model === undefined) return await judgeKept(toScanned(parts), collection.tokenLists)
    const lists = await readTokenLists(collection.tokenLists, tokens, { model, signal })
    return await judgeKept(toScanned({ ...parts, hidden: [...hidden, ...lists.hidden] }), lists.unscanned)
  }

  function filterBody(request: FilterableBody, task: FilterTask): FilteredRequest | Promise<FilteredRequest> {
    const { policy, origin } = task
    if (!hasWork(policy)) return NOTHING
    const { correlationId, userId } = request
    const occasion: Occasion = { correlationId, userId, origin }
    const collection = collectSegments(request.document, request.format)
    if (collection.refusal !== undefined) throw unclear(collection.refusal)
    if (policy.blocksMedia && hasMedia(request, collection)) {
      return refuse([createUnscannedMediaEntry(occasion)], occasion)
    }
    if (policy.detectors.length === 0) return ONLY_TEXT
    const hidden = request.hidden === undefined ? [] : [request.hidden]
    const parts = { request, policy, occasion, collection, hidden, conversationId: readOwnId(request, task) }
    if (parts.conversationId === undefined && keepsTokens(task) && request.findConversation !== undefined) {
      return judgeFound(parts, request.findConversation)
    }
    return judgeParts(parts)
  }

  async function judgeFound(
    parts: ScanParts,
    find: NonNullable<FilterableBody['findConversation']>,
  ): Promise<FilteredRequest> {
    return await judgeParts({ ...parts, conversationId: await find() })
  }

  function judgeParts(parts: ScanParts): FilteredRequest | Promise<FilteredRequest> {
    if (parts.collection.tokenLists.length > 0) return judgeWithTokens(parts)
    const scanned = toScanned(parts)
    return scanned.conversation === undefined ? judge(scanned, []) : judgeKept(scanned, [])
  }

  const findPolicy = (model: ModelConfig): ConsumerPolicy => findConsumerPolicy(model, defaults())

  return {
    findPolicy,
    watches(model, { isSocket }) {
      const policy = findPolicy(model)
      return policy.enabled && (isSocket || hasWork(policy))
    },
    filter(request) {
      const policy = findPolicy(request.model)
      if (!policy.enabled) return NOTHING
      if (request.isSocket) throw piiUnsupportedTransport()
      return filterBody(request, { policy, origin: 'middleware' })
    },
    filterBody,
  }
}

function hasMedia({ format, fileNames = [] }: FilterableBody, { media }: SegmentCollection): boolean {
  return fileNames.length > 0 || (WITH_MEDIA.has(format) && media.length > 0)
}

function isUntouched({ spans, rewritten }: FilterOutcome['segments'][number]): boolean {
  return spans.length === 0 && rewritten === undefined
}

/** The result without findings: strings that need repair are still repaired. */
function withoutEdits({ toSplices }: SegmentCollection): FilteredRequest {
  const rewrite = toSplices(NO_TEXTS)
  return rewrite.kind === 'splices' && rewrite.splices.length > 0 ? { splices: rewrite.splices } : NOTHING
}

const NO_TEXTS: ReadonlyMap<TextSegment, string> = new Map()

/** A request split into segments. */
interface Scanned {
  readonly request: FilterableBody
  readonly policy: ConsumerPolicy
  readonly occasion: Occasion
  readonly collection: SegmentCollection
  /** Texts that the body holds in another form. */
  readonly hidden: readonly HiddenTexts[]
  /** The id of the conversation whose tokens are kept. */
  readonly conversationId: string | undefined
  readonly texts: {
    readonly segments: readonly { readonly path: string; readonly text: string }[]
    readonly messages: SegmentCollection['messages']
  }
  readonly masks: TokenMap | undefined
  /** Set when the tokens are kept for further requests. */
  readonly conversation: ConversationName | undefined
}

/** A request before its texts are listed. */
type ScanParts = Omit<Scanned, 'texts' | 'masks' | 'conversation'>

function toScanned(parts: ScanParts): Scanned {
  const { request, policy, collection, hidden } = parts
  const { segments, messages } = collection
  const { fileNames = [] } = request
  const all =
    hidden.length === 0 && fileNames.length === 0
      ? segments
      : [
          ...segments,
          ...hidden.flatMap((each) => each.segments),
          ...fileNames.map((text, index) => ({ text, path: `files[${index}].filename` })),
        ]
  const masks =
    policy.reversible === undefined ? undefined : createTokenMap({ ...policy.reversible, texts: listTexts(all) })
  return { ...parts, texts: { segments: all, messages }, masks, conversation: toConversation(parts) }
}

/** Whether tokens are kept. Nobody is known as the user of an intercepted request. */
function keepsTokens({ policy, origin }: FilterTask): boolean {
  return policy.reversible?.keptHours !== undefined && origin === 'middleware'
}

/** Reads the id of the conversation that a request itself gives, if tokens are kept. */
function readOwnId(request: FilterableBody, task: FilterTask): string | undefined {
  return keepsTokens(task) ? readConversationId(request) : undefined
}

function toConversation({ request, policy, conversationId: id }: ScanParts): ConversationName | undefined {
  const { prefix, suffix, keptHours } = policy.reversible ?? {}
  if (id === undefined || prefix === undefined || suffix === undefined || keptHours === undefined) return undefined
  const { userId, keyId } = request
  return { userId, keyId, id, prefix, suffix, keptHours }
}

function toPath({ texts }: Scanned, index: number): string {
  return texts.segments[index]?.path ?? ''
}

function* listTexts(segments: readonly { readonly text: string }[]): Generator<string> {
  for (const { text } of segments) yield text
}

/** Gives the edits of the body that remove masked text. */
function toEdits({ collection, hidden }: Scanned, { segments }: FilterOutcome): readonly Splice[] | 'collision' {
  const texts = new Map<TextSegment, string>()
  for (const [index, segment] of collection.segments.entries()) {
    const rewritten = segments[index]?.rewritten
    if (rewritten !== undefined) texts.set(segment, rewritten)
  }
  const rewrite = collection.toSplices(texts)
  if (rewrite.kind === 'key-collision') return 'collision'
  const edits = toHiddenEdits(hidden, segments.slice(collection.segments.length))
  return edits.length === 0
    ? rewrite.splices
    : [...rewrite.splices, ...edits].sort((one, other) => one.start - other.start)
}

/** Gives the names of the files without masked text. They are the last of the scanned texts. */
function toFileNames({ request }: Scanned, { segments }: FilterOutcome): readonly string[] | undefined {
  const { fileNames = [] } = request
  if (fileNames.length === 0) return undefined
  const found = segments.slice(-fileNames.length)
  return fileNames.map((name, index) => found[index]?.rewritten ?? name)
}

/** @param found the findings of the hidden texts, in one sequence */
function toHiddenEdits(hidden: readonly HiddenTexts[], found: FilterOutcome['segments']): Splice[] {
  let first = 0
  return hidden.flatMap(({ node, segments, encode }) => {
    const own = found.slice(first, first + segments.length)
    first += segments.length
    if (own.every(({ rewritten }) => rewritten === undefined)) return []
    const texts = segments.map(({ text }, index) => own[index]?.rewritten ?? text)
    return [{ start: node.start, end: node.end, replacement: encode(texts) }]
  })
}

function asBlock(entry: PiiAuditEvent): PiiAuditEvent {
  return { ...entry, facts: { ...entry.facts, action: 'block' } }
}

/** Creates the refusal of a text of a server in which the model may find other text than was scanned. */
function unreadable(): SvcError {
  return new SvcError('invalid_request', 'a result of a tool holds JSON that is too deep or too large to be filtered', {
    code: 'unreadable_result',
    details: { type: 'invalid_request_error' },
  })
}

/** Creates the refusal of a body in which a reader may find other text than was scanned. */
function unclear({ kind, path }: NonNullable<SegmentCollection['refusal']>): SvcError {
  const message =
    kind === 'case-twin'
      ? `failed parsing request body: ${path}: differs from a known key by case only`
      : `failed parsing request body: ${path}: JSON inside a string is too deep or too large`
  return new SvcError('invalid_request', message, {
    code: 'unparsable_body',
    details: { type: 'invalid_request_error', param: path },
  })
}
