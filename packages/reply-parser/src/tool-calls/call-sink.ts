import { createEventWriter } from './event-writer.ts'
import { parseCallJson, toJsonObjectText } from './json-text.ts'
import { MAX_CALL_LENGTH, MAX_CALLS } from './limits.ts'
import type { ParsedToolCall, ToolCallEvent, ToolCallOptions } from './tool-call.ts'

/** A part of a reply that may be a call. */
export interface OfferedCall {
  /** Absent: the part is not a call. */
  readonly call?: ParsedToolCall | undefined
  /** The text of the part, which it stays unless it is a call. */
  readonly source: string
}

/**
 * Decides which calls are valid, numbers them, and puts text and calls in order. A call whose arguments are not a JSON
 * object is text beside a good one. Without a good one it is a call, because its client can describe the mistake to the
 * model; it waits for the next call or the end of the reply.
 */
export interface CallSink {
  text(text: string): void
  /**
   * Takes parts that are together. Returns false when they hold no calls: there are too many parts, no part is good
   * enough, or the JSON has no marker and names no tool of the request.
   */
  offer(parts: readonly OfferedCall[], isMarked: boolean): boolean
  /** Markers to drop when they come, because calls were in their scope. */
  readonly closings: Set<string>
  /** Drops a marker if calls were in its scope. @returns whether they were */
  close(marker: string): boolean
  /** Whether any call was taken. */
  readonly hasCalls: boolean
  /** Ends the reply. */
  finish(): void
  /** The events since the previous take. */
  take(): ToolCallEvent[]
}

/** A broken call that waits, or text behind it. */
type Waiting = { readonly text: string } | { readonly call: ParsedToolCall; source: string }

/** Creates the sink of one reply. */
export function createCallSink({ settings, tools }: ToolCallOptions): CallSink {
  const known = tools && new Set(tools.map(({ name }) => name))
  const noAction = findNoAction(settings, known)
  const closings = new Set<string>()
  let taken = 0
  let hasGoodCall = false
  let waiting: Waiting[] = []
  let waitingLength = 0
  const events = createEventWriter()

  function isBroken({ name, arguments: json }: ParsedToolCall): boolean {
    return name !== noAction && json.trim() !== 'null' && toJsonObjectText(json) === undefined
  }

  function write(text: string): void {
    if (waiting.length === 0) events.text(text)
    else wait({ text }, text.length)
  }

  function wait(part: Waiting, length: number): void {
    waiting.push(part)
    waitingLength += length
    if (waitingLength > MAX_CALL_LENGTH) settle()
  }

  /** Ends the wait: the broken calls are text once there is a good one, else calls. */
  function settle(): void {
    const parts = waiting
    waiting = []
    waitingLength = 0
    for (const part of parts) {
      if ('text' in part) events.text(part.text)
      else if (hasGoodCall) events.text(part.source)
      else events.call(part.call)
    }
  }

  function take({ call, source }: OfferedCall): void {
    if (call === undefined) write(source)
    else if (call.name === noAction) write(readMessage(call.arguments))
    else if (!isBroken(call)) {
      hasGoodCall = true
      settle()
      events.call(call)
    } else if (hasGoodCall) write(source)
    else wait({ call, source }, call.arguments.length + source.length)
  }

  return {
    closings,
    get hasCalls() {
      return taken > 0
    },
    text: write,
    offer(parts, isMarked) {
      const calls = parts.flatMap(({ call }) => (call === undefined ? [] : [call]))
      if (calls.length === 0 || taken + calls.length > MAX_CALLS) return false
      const isKnown = known === undefined || calls.some(({ name }) => known.has(name) || name === noAction)
      if (!isMarked && !isKnown) return false
      if (hasGoodCall && calls.every(isBroken)) return false
      taken += calls.length
      for (const part of parts) take(part)
      return true
    },
    close(marker) {
      if (!closings.delete(marker)) return false
      const last = waiting.findLast((part) => 'call' in part)
      if (last !== undefined) last.source += marker
      return true
    },
    finish() {
      settle()
      events.finish()
    },
    take: () => events.take(),
  }
}

/** The pseudo-tool of grammars, unless the request has a tool of that name. */
function findNoAction(
  settings: ToolCallOptions['settings'],
  known: ReadonlySet<string> | undefined,
): string | undefined {
  const name = settings.noActionFunctionName || 'answer'
  return settings.disableNoAction === true || known?.has(name) === true ? undefined : name
}

/** The model's answer if it calls no tool; may be empty. */
function readMessage(json: string): string {
  const object = toJsonObjectText(json)
  const message = object === undefined ? undefined : parseCallJson(object).get('message')
  return message?.kind === 'string' ? message.text() : ''
}
