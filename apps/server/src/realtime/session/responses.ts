import type { RealtimeResponseRequest } from '@svc/wire/realtime'
import type { Item } from './conversation.ts'
import { badEvent } from './event-error.ts'
import { createHistory } from './read-history.ts'
import { createResponse, type Response, type ResponseEnd } from './response.ts'
import { type RunParts, runResponse } from './run-response.ts'
import { updateAnswers } from './settings.ts'
import { sizeOfTexts } from './settings-memory.ts'
import type { CutVoice } from './voice-output.ts'

/** The responses of a session: one at a time in its conversation, and few beside it. */
export interface Responses {
  /** Whether the conversation has a response in progress. */
  readonly isActive: boolean
  /**
   * Answers a request of the client.
   *
   * @throws {SvcError} `conversation_already_has_active_response`, `too_many_responses`, `session_update_error`,
   *   `invalid_item_id`
   */
  create(request: RealtimeResponseRequest | undefined, readItem: ReadItem): void
  /** Answers a turn: now, or when the response under way has ended. */
  answerTurn(): void
  /** @throws {SvcError} `response_cancel_not_active` */
  cancel(id: string | undefined): void
  /** Cancels for somebody who speaks, and cuts the voice at what was heard. */
  interrupt(): void
  close(): void
}

/** Makes an item of the input of a response. */
export type ReadItem = (item: NonNullable<RealtimeResponseRequest['input']>[number]) => Item

/** Parts of {@link createResponses}. */
export interface ResponsesParts extends RunParts {
  /** Shortens an item of the model. */
  readonly cut: (cut: CutVoice) => void
}

/** Most responses beside the conversation. */
const MAX_BESIDE = 4

/** Creates the responses of a session. */
export function createResponses(parts: ResponsesParts): Responses {
  const { context, voiceOutput, cut } = parts
  const { conversation, stages, emit } = context
  const beside = new Set<Response>()
  let active: Response | undefined
  let isTurnWaiting = false

  function start(request: RealtimeResponseRequest | undefined, items?: readonly Item[]): void {
    const isBeside = request?.conversation === 'none'
    const response = createResponse({
      settings: updateAnswers(context.settings.answers, request ?? {}, { facts: stages.facts, hasSpoken: false }),
      conversation: isBeside ? undefined : conversation,
      metadata: request?.metadata,
      emit,
      onEnd: ended,
    })
    if (isBeside) beside.add(response)
    else active = response
    run(response, items).then(
      (end) => response.end(end),
      (error: unknown) => response.end({ status: 'failed', error }),
    )
  }
  /** Lets the models answer; what they read is counted until they are done. */
  async function run(response: Response, items: readonly Item[] | undefined): Promise<ResponseEnd> {
    const ownItems = items?.filter((item) => conversation.find(item.id) !== item) ?? []
    const ownBytes = ownItems.reduce((sum, { bytes }) => sum + bytes, 0)
    const release = context.holdTexts(sizeOfTexts(response.settings) + ownBytes)
    // input of its own leaves nothing in the history of the conversation
    const readHistory = items === undefined ? parts.readHistory : createHistory(stages)
    try {
      return await runResponse(response, items ?? [...conversation.items], { ...parts, readHistory })
    } finally {
      release()
    }
  }
  function ended(response: Response): void {
    beside.delete(response)
    if (active !== response) return
    active = undefined
    if (!isTurnWaiting || context.signal.aborted) return
    isTurnWaiting = false
    start(undefined)
  }

  return {
    get isActive() {
      return active !== undefined
    },
    create(request, readItem) {
      const isBeside = request?.conversation === 'none'
      if (!isBeside && active !== undefined) throw alreadyActive(active)
      if (isBeside && beside.size >= MAX_BESIDE)
        throw badEvent('too_many_responses', `at most ${MAX_BESIDE} responses run beside the conversation`)
      start(request, request?.input?.map(readItem))
    },
    answerTurn() {
      if (context.signal.aborted) return
      if (active === undefined) start(undefined)
      else isTurnWaiting = true
    },
    cancel(id) {
      const known = [...beside, ...(active === undefined ? [] : [active])]
      const response = id === undefined ? active : known.find((one) => one.id === id)
      if (response === undefined)
        throw badEvent('response_cancel_not_active', 'there is no such response in progress', 'response_id')
      response.end({ status: 'cancelled', reason: 'client_cancelled' })
    },
    interrupt() {
      isTurnWaiting = false
      const unfinished = active
      unfinished?.end({ status: 'cancelled', reason: 'turn_detected' })
      const cutOff = voiceOutput.silence(unfinished?.id)
      if (cutOff !== undefined) cut(cutOff)
    },
    close() {
      isTurnWaiting = false
      for (const response of beside) response.end({ status: 'cancelled', reason: 'client_cancelled' })
      active?.end({ status: 'cancelled', reason: 'client_cancelled' })
      voiceOutput.silence()
    },
  }
}

function alreadyActive({ id }: Response) {
  return badEvent(
    'conversation_already_has_active_response',
    `the conversation has a response in progress: ${id}; wait for its response.done`,
  )
}
